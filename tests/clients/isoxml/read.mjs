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
const localDay = (at) => at && [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours()].join("-"); // files have no zone
// A task with a grid of type 1, whose cells name zones: how many cells carry which rate.
const tasks = (root.Task ?? []).map((task) => {
  const zones = task.attributes.TreatmentZone ?? [];
  const rates = new Map(zones.map((zone) => [zone.attributes.TreatmentZoneCode, zone.attributes.ProcessDataVariable?.[0]?.attributes?.ProcessDataValue]));
  const cells = {};
  for (const code of task.attributes.Grid?.[0]?.binaryData ?? []) {
    cells[rates.get(code)] = (cells[rates.get(code)] ?? 0) + 1;
  }
  const [zone, allocation] = [zones[0]?.attributes?.ProcessDataVariable?.[0]?.attributes, task.attributes.ProductAllocation?.[0]?.attributes];
  return {
    zones: zones.length,
    cells,
    status: task.attributes.TaskStatus,
    field: task.attributes.PartfieldIdRef?.entity?.attributes?.PartfieldDesignator,
    begin: localDay(task.attributes.Time?.[0]?.attributes?.Start),
    product: allocation?.ProductIdRef?.entity?.attributes?.ProductDesignator,
    ddi: zone?.ProcessDataDDI,
    rate: zone?.ProcessDataValue,
    of: zone?.ProductIdRef?.entity?.attributes?.ProductDesignator,
  };
});
console.log(JSON.stringify({
  tasks,
  warnings: manager.getWarnings(),
  version: manager.options.version,
  fields,
  farms: names(root.Farm, "FarmDesignator"),
  customers: names(root.Customer, "CustomerLastName"),
  crops: names(root.CropType, "CropTypeDesignator"),
  products: names(root.Product, "ProductDesignator"),
}));
