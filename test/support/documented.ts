import type { OpenAPIObject } from '@nestjs/swagger';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Described {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

type Operation = { readonly responses: Readonly<Record<string, Described>> };
type Schema = Record<string, unknown>;

/** The unchanged response to a call. */
export interface Seen {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

/** The document describes neither the console's pages nor itself and its browsable form. */
export const ownPages = /^\/(console.*|docs(\/.*)?|openapi\.json)$/;

/**
 * Checks responses against the OpenAPI document. Stricter than the document: an object may have only documented
 * properties unless its schema is declared open, so that undocumented fields are found.
 */
export class Documented {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly paths: readonly { readonly pattern: RegExp; readonly item: Readonly<Record<string, Operation>> }[];
  private readonly judges = new Map<object, ValidateFunction>();

  constructor(document: OpenAPIObject) {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'api', components: closed(document.components ?? {}) });
    this.paths = Object.entries(document.paths)
      .sort(([a], [b]) => parameters(a) - parameters(b))
      .map(([path, item]) => ({ pattern: patternOf(path), item: item as Readonly<Record<string, Operation>> }));
  }

  /** Faults of a response; empty if it matches. They never contain values of the response. */
  faultsOf(seen: Seen): string[] {
    if (ownPages.test(seen.path)) return [];
    const name = `${seen.method} ${seen.path}`;
    const item = this.paths.find(({ pattern }) => pattern.test(seen.path))?.item;
    if (!item) return seen.status === 404 ? [] : [`${name} is not in the document`];
    const operation = item[seen.method.toLowerCase()];
    if (!operation) return seen.status === 404 || seen.status === 405 ? [] : [`${name} is not in the document`];
    const described = operation.responses[String(seen.status)];
    if (!described) return [`${name} returned an undescribed ${seen.status}`];
    return this.bodyFaults(described, seen).map((fault) => `${name} (${seen.status}) ${fault}`);
  }

  private bodyFaults({ content }: Described, { contentType, body }: Seen): string[] {
    if (content === undefined) return body === '' ? [] : ['has a body where none is described'];
    const type = contentType?.split(';')[0]?.trim() ?? '';
    const schema = content[type]?.schema;
    if (content[type] === undefined) return [`is of the undescribed type ${type}`];
    if (schema === undefined || !type.endsWith('json')) return [];
    const judge = this.judgeOf(schema);
    if (judge(body)) return [];
    return (judge.errors ?? []).map(({ instancePath, message, params }) => {
      const field = (params as { additionalProperty?: string }).additionalProperty;
      return `${instancePath} ${message}${field === undefined ? '' : ` (${field})`}`;
    });
  }

  private judgeOf(schema: object): ValidateFunction {
    const known = this.judges.get(schema);
    if (known) return known;
    const judge = this.ajv.compile(closed(schema) as Schema);
    this.judges.set(schema, judge);
    return judge;
  }
}

const parameters = (path: string): number => path.split('{').length;

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${escaped}$`);
}

/** Refers to the shared document, and closes every object that names its properties. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Schema = {};
  for (const [key, value] of Object.entries(node)) {
    copy[key] = key === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'api#') : closed(value);
  }
  const names = typeof copy['properties'] === 'object' && copy['type'] === 'object';
  if (names && copy['additionalProperties'] === undefined) copy['additionalProperties'] = false;
  return copy;
}
