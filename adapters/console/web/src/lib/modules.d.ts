declare module 'maplibre-gl/dist/maplibre-gl-csp.js'
