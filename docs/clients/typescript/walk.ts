// Signs in, creates a farm with fields from a file, and reads the season's NDVI of each. The types are those of the
// API: `npm run generate` generates them from its OpenAPI document.

import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];

const api = createClient<paths>({ baseUrl: env.TILTH_URL ?? "http://127.0.0.1:8080" });

/** Returns the data of an answer. Throws with the code and the message of an error. */
async function data<T>(
  asked: Promise<{ data?: { data: T } | Schemas["GeoJSONFeatureCollection"]; error?: Schemas["Error"] }>,
): Promise<T> {
  const { data, error } = await asked;
  if (!data || !("data" in data)) throw new Error(`${error?.code}: ${error?.message} ${JSON.stringify(error?.details)}`);
  return data.data;
}

/** A square, longitude first. */
function square(west: number, south: number, side = 0.0035): Schemas["GeoJSONPolygon"] {
  const [east, north] = [west + side, south + side * 0.8];
  return { type: "Polygon", coordinates: [[[west, south], [east, south], [east, north], [west, north], [west, south]]] };
}

const { access } = await data(
  api.POST("/api/v1.2/auth/token/", {
    body: { email: env.TILTH_EMAIL ?? "owner@demo.example", password: env.TILTH_PASSWORD ?? "tilth-demo-2025" },
  }),
);
const authorize: Middleware = {
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${access}`);
    return request;
  },
};
api.use(authorize);

// Creates many fields of a supplier from a table with their outlines as WKT, in one request. Sent again, it changes nothing.
const supplier = await data(
  api.POST("/api/v1.2/farm/", { body: { name: "Supplier of a TypeScript walk", country: "spain" } }),
);
if (Array.isArray(supplier)) throw new Error("one farm was sent, and many came back");
const lines = Array.from({ length: 200 }, (_, i) => {
  const [ring] = square(-4.5 + 0.004 * (i % 40), 41.5 + 0.004 * Math.floor(i / 40)).coordinates;
  const wkt = ring?.map((at) => at.map((degrees) => degrees.toFixed(6)).join(" ")).join(", ");
  return `ts-${supplier.id}-${i},Field ${i + 1},"POLYGON((${wkt}))"`;
});
const importTable = () =>
  data(
    api.POST("/api/v1.2/field/import/", {
      params: { query: { farm_id: supplier.id, external_id_property: "ref" } },
      body: ["ref,name,wkt", ...lines].join("\n"),
      bodySerializer: (table) => table,
      headers: { "Content-Type": "text/csv" },
    }),
  );
const [first, second] = [await importTable(), await importTable()];
console.log(`table: ${first.created} created, then ${second.skipped} unchanged`);

const farm = await data(api.POST("/api/v1.2/farm/", { body: { name: "Farm of a TypeScript walk", country: "spain" } }));
if (Array.isArray(farm)) throw new Error("one farm was sent, and many came back");

// Fields from a file: one request for up to 1,000 features. Sent again, it changes nothing.
const features = [0, 1, 2].map((i) => ({
  type: "Feature" as const,
  geometry: square(-4.2243 + 0.004 * i, 41.7794),
  properties: { name: `Field ${i + 1}`, ref: `ts-${farm.id}-${i}` },
}));
const load = () =>
  data(
    api.POST("/api/v1.2/field/import/", {
      params: { query: { farm_id: farm.id, external_id_property: "ref" } },
      body: { type: "FeatureCollection", features },
      headers: { "Content-Type": "application/geo+json" },
    }),
  );
const [made, again] = [await load(), await load()];
if (made.created !== 3 || again.skipped !== 3) throw new Error(JSON.stringify({ made, again }));

const season = await data(
  api.POST("/api/v1.2/season/", { body: { name: "Summer 2025", start_date: "2025-03-01", end_date: "2025-10-31" } }),
);
if (Array.isArray(season)) throw new Error("one season was sent, and many came back");
const { results: [crop] } = await data(api.GET("/api/v1.2/crop/", { params: { query: { search: "winter wheat" } } }));
if (!crop) throw new Error("there is no winter wheat");
const { results: fields } = await data(api.GET("/api/v1.2/field/", { params: { query: { farm: farm.id, page: "all" } } }));
await data(
  api.POST("/api/v1.2/cultivation/", {
    body: fields.map((field) => ({ field_id: field.id, season_id: season.id, crop_id: crop.id })),
  }),
);

// Orders the series of all fields in one request, and reads each when it is ready.
const placed = await data(
  api.POST("/api/v1.2/profiles/vegetation-index-profile/orders/batch/", {
    body: fields.map((field) => ({ field_uuid: field.uuid, season_id: season.id })),
  }),
);
for (const { order_id } of placed.items) {
  if (!order_id) throw new Error(JSON.stringify(placed));
  for (let tries = 0; ; tries++) {
    const order = await data(
      api.GET("/api/v1.2/profiles/vegetation-index-profile/orders/{id}/", { params: { path: { id: String(order_id) } } }),
    );
    if (order.status === "active") {
      const values = order.profile.map((point) => point.value);
      console.log(`field ${order.field}: ${values.length} dates, NDVI up to ${Math.max(...values).toFixed(2)}`);
      break;
    }
    if (order.status === "failed" || tries === 120) throw new Error(JSON.stringify(order));
    await sleep(500);
  }
}
