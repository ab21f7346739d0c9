import type { OpenAPIObject } from '@nestjs/swagger';
import { toProblem } from '../../http/server/problem.filter.js';
import { AppError, type ErrorCode, errorCodes } from '../../platform/platform/errors.js';
import { mapOperations } from './openapi-operations.js';

/*
 * Examples of complete bodies. `npm run openapi` records them from the service and writes them to `openapi.json` in the
 * repository root, which the service serves.
 */

/** By operation (`GET /a/{b}`): the request body, and the response bodies by status and media type. */
export type BodyExamples = Readonly<Record<string, OperationExamples>>;

export interface OperationExamples {
  readonly sent?: unknown;
  readonly answered: Readonly<Record<string, unknown>>;
}

type Content = Readonly<Record<string, { readonly example?: unknown }>>;

const problemType = 'application/problem+json';

/** Key of a response among the examples of an operation. */
export const answerName = (status: string | number, mediaType: string): string => `${status} ${mediaType}`;

/** Adds these examples to the document, and the problem of each error code as a component. */
export function withBodyExamples(document: OpenAPIObject, examples: BodyExamples): OpenAPIObject {
  const paths = mapOperations(document.paths, (operation, name) => {
    const { sent, answered = {} } = examples[name] ?? {};
    const responses = Object.entries(operation.responses).map(([status, response]) => {
      const content = withExamples((response.content ?? {}) as Content, (type) => answered[answerName(status, type)]);
      return [status, response.content === undefined ? response : { ...response, content }] as const;
    });
    const { requestBody } = operation;
    const body = requestBody && { ...requestBody, content: withExamples(contentOf(requestBody), () => sent) };
    return { ...operation, ...(body ? { requestBody: body } : {}), responses: Object.fromEntries(responses) };
  });
  const components = { ...document.components, examples: problemExamples() };
  return { ...document, paths, components };
}

/** A reference to a body elsewhere has none. */
function contentOf(body: object): Content {
  return 'content' in body ? (body.content as Content) : {};
}

function withExamples(content: Content, exampleOf: (type: string) => unknown): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => {
      const example = type === problemType ? undefined : exampleOf(type);
      return [type, example === undefined ? media : { ...media, example }];
    }),
  );
}

const faults: Partial<Record<ErrorCode, { field: string; message: string }[]>> = {
  invalid_request: [{ field: 'limit', message: 'limit must not be greater than 500' }],
  not_ready: [{ field: 'database', message: 'the database refuses writes' }],
};

function problemExamples(): NonNullable<NonNullable<OpenAPIObject['components']>['examples']> {
  const entries = errorCodes.map((code) => {
    const fields = faults[code];
    const { body } = toProblem(new AppError(code, '', fields ? { fields } : {}), 'b1946ac9-2f4c-4c3e');
    return [code, { summary: body.title, value: body }] as const;
  });
  return Object.fromEntries(entries);
}
