// Reads task data as programs of others do, and prints what they find: what they remark, the fields with their outlines, and
// the records beside them.
import { readFileSync } from "node:fs";
import isoxml from "isoxml";

const { ISOXMLManager } = isoxml;
const manager = new ISOXMLManager({ fmisURI: "tilth", version: 4 });
await manager.parseISOXMLFile(new Uint8Array(readFileSync(process.argv[2])), "application/zip");
const root = manager.rootElement.attributes;
const names = (list, member) => (list ?? []).map((entity) => entity.attributes[member]);
const fields = (root.Partfield ?? []).map((field) => ({
  id: manager.getReferenceByEntity(field).xmlId,
  name: field.attributes.PartfieldDesignator,
  area: field.attributes.PartfieldArea,
  farm: field.attributes.FarmIdRef?.entity?.attributes?.FarmDesignator,
  crop: field.attributes.CropTypeIdRef?.entity?.attributes?.CropTypeDesignator,
  outline: field.toGeoJSON(),
}));
console.log(JSON.stringify({
  warnings: manager.getWarnings(),
  version: manager.options.version,
  fields,
  farms: names(root.Farm, "FarmDesignator"),
  customers: names(root.Customer, "CustomerLastName"),
  crops: names(root.CropType, "CropTypeDesignator"),
  products: names(root.Product, "ProductDesignator"),
}));
