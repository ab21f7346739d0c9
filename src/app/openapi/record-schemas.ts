import type { OpenAPIObject } from '@nestjs/swagger';
import { catalogue, type Resource } from '../../health/catalogue/catalogue.js';
import { type FieldText, summaryFields } from '../../health/catalogue/summary-fields.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';

/*
 * Replaces the two generic record schemas of the classes by one schema for each shape, discriminated by `resource`.
 * Fields other than the values stay those of the classes.
 */

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly [key: string]: unknown;
}

type Schemas = Readonly<Record<string, Schema>>;

/** Classes of samples and summaries, with the name prefix of the schemas that replace them. */
const pairs = [
  { sample: 'SampleRecordDto', summary: 'SummaryRecordDto', prefix: '' },
  { sample: 'TracedSampleDto', summary: 'TracedSummaryDto', prefix: 'Traced' },
] as const;

const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** Schema name of a resource's records. Samples with the same fields share a schema. */
function shapeOf({ name, family }: Resource): string {
  if (family === 'summary' || family === 'stream') return `${pascal(name)}Record`;
  if (family === 'pair') return 'BloodPressureSample';
  return family === 'text' ? 'NoteSample' : 'NumberSample';
}

const pascal = (name: string): string =>
  name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const isSummary = ({ family }: Resource): boolean => family === 'summary' || family === 'stream';

/** The fields that hold the value of a sample, by shape. */
const values: Readonly<Record<string, readonly string[]>> = {
  NumberSample: ['value'],
  BloodPressureSample: ['systolic', 'diastolic'],
  NoteSample: ['text'],
};
const everyValue = Object.values(values).flat();

/** Replaces the generic record schemas. */
export function withRecordSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = { ...document.components?.schemas } as Record<string, Schema>;
  for (const { sample, summary, prefix } of pairs) {
    Object.assign(schemas, recordSchemas(prefix, schemas[sample] ?? {}, schemas[summary] ?? {}));
    delete schemas[sample];
    delete schemas[summary];
  }
  for (const [name, fields] of Object.entries(summaryFields)) schemas[`${pascal(name)}Data`] = dataSchema(name, fields);
  const components = { ...document.components, schemas: referring(schemas) } as OpenAPIObject['components'];
  return { ...document, paths: referring(document.paths) as OpenAPIObject['paths'], ...(components && { components }) };
}

function recordSchemas(prefix: string, sample: Schema, summary: Schema): Schemas {
  const made = [...groupedBy(catalogue, shapeOf)].map(([shape, resources]): [string, Schema] => {
    const [first] = resources;
    const isOne = first !== undefined && isSummary(first);
    return [`${prefix}${shape}`, isOne ? summaryRecord(summary, first) : sampleRecord(sample, shape, resources)];
  });
  const mapping = catalogue.map((resource) => [resource.name, ref(`${prefix}${shapeOf(resource)}`).$ref]);
  const union = {
    description: 'A stored record, discriminated by `resource`.',
    oneOf: made.map(([name]) => ref(name)),
    discriminator: { propertyName: 'resource', mapping: Object.fromEntries(mapping) as Record<string, string> },
  };
  return { ...Object.fromEntries(made), [`${prefix}HealthRecord`]: union };
}

function sampleRecord(base: Schema, shape: string, resources: readonly Resource[]): Schema {
  const own = values[shape] ?? [];
  const units = resources.map(({ name, unit }) => `${name}: ${unit}`).join(', ');
  const kept = Object.entries(base.properties ?? {}).filter(
    ([name]) => own.includes(name) || !everyValue.includes(name),
  );
  const names = resources.map(({ name }) => name);
  const properties = {
    ...Object.fromEntries(kept),
    resource: names.length === 1 ? { type: 'string', const: names[0] } : { type: 'string', enum: names },
    unit: { ...base.properties?.['unit'], description: `As received. Documented: ${units}.` },
  };
  return { ...base, description: 'A sample.', properties };
}

function summaryRecord(base: Schema, { name }: Resource): Schema {
  const properties = {
    ...base.properties,
    resource: { type: 'string', const: name },
    data: ref(`${pascal(name)}Data`),
  };
  return { ...base, description: `A record of ${name}.`, properties };
}

function dataSchema(name: string, fields: Readonly<Record<string, FieldText>>): Schema {
  const description = `The object of ${name} as received from upstream. Any field may be missing or null, and there may be others.`;
  return { ...objectOf(fields), type: 'object', description };
}

function objectOf(fields: Readonly<Record<string, FieldText>>): Schema {
  const properties = Object.entries(fields).map(([name, field]): [string, object] => [name, fieldSchema(field)]);
  return { properties: Object.fromEntries(properties), additionalProperties: true };
}

function fieldSchema(field: FieldText): object {
  if (typeof field !== 'string') return { ...objectOf(field), type: ['object', 'null'] };
  const [type = 'string', unit = '', meaning = ''] = field.split('|');
  const stated = unit.endsWith('?') ? `${unit.slice(0, -1)}, as sent by providers; not documented by upstream` : unit;
  const description = [meaning, stated && `Unit: ${stated}.`].filter(Boolean).join(' ');
  const one = type.replace('[]', '');
  const item = { type: one, ...(one === 'object' ? { additionalProperties: true } : {}) };
  const inside = one === type ? { ...item, type: [type, 'null'] } : { type: ['array', 'null'], items: item };
  return { ...inside, ...(description ? { description } : {}) };
}

/** Replaces each choice between the two generic schemas by the union. */
function referring(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(referring);
  if (typeof node !== 'object' || node === null) return node;
  const { anyOf, ...rest } = node as { anyOf?: readonly { $ref?: string }[] };
  const pair = pairs.find(({ sample }) => anyOf?.[0]?.$ref === ref(sample).$ref);
  if (pair) {
    const union = ref(`${pair.prefix}HealthRecord`);
    const others = anyOf?.slice(2) ?? [];
    return { ...rest, ...(others.length > 0 ? { anyOf: [union, ...others] } : union) };
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, referring(value)]));
}
