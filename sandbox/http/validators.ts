import Fastify, { type FastifySchemaCompiler } from 'fastify';
import type { Schema } from './strict.js';

type Compiler = FastifySchemaCompiler<Schema>;
type Validate = ReturnType<Compiler>;

/** Neither removes, converts nor fills in anything, and reports every fault. */
const ajv = {
  customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: true },
} as const;

const compiled = new Map<string, Validate>();
let compiler: Promise<Compiler> | undefined;

/** Fastify's own compiler, which it creates only for an application with a schema. */
async function ofFastify(): Promise<Compiler> {
  const app = Fastify({ ajv });
  app.get('/', { schema: { querystring: {} } }, () => null);
  await app.ready();
  if (!app.validatorCompiler) throw new Error('Fastify has no compiler of schemas.');
  return app.validatorCompiler;
}

/**
 * Compiles a schema when the first request needs it, once for all sandboxes of this process. Fastify itself would
 * compile every schema at every start, which takes most of the start.
 */
export async function compilerOnDemand(): Promise<Compiler> {
  const compile = await (compiler ??= ofFastify());
  return (definition) => {
    const key = JSON.stringify(definition.schema);
    const validate: Validate = (data: unknown) => {
      const known = compiled.get(key) ?? compile(definition);
      compiled.set(key, known);
      const valid = known(data);
      validate.errors = known.errors;
      return valid;
    };
    return validate;
  };
}
