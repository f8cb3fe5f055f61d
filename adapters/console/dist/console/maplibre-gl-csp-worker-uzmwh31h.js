const e="/console/maplibre-gl-csp-worker-pf4gVupo.js";export{e as default};
