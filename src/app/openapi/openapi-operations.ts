import type { OpenAPIObject } from '@nestjs/swagger';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, { description: string; headers?: object; content?: object }>;
  'x-roles'?: string[];
}

/** Maps every operation. `name` has the form `GET /a/{b}`, `allowed` the form `GET, HEAD, POST`. */
export function mapOperations(
  paths: OpenAPIObject['paths'],
  change: (operation: Operation, name: string, allowed: string) => Operation,
): OpenAPIObject['paths'] {
  const changed = Object.entries(paths).map(([path, item]) => {
    const served = methods.filter((method) => item[method]);
    const allowed = served
      .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
      .join(', ');
    const operations = served.map((method): [string, Operation] => [
      method,
      change(item[method] as unknown as Operation, `${method.toUpperCase()} ${path}`, allowed),
    ]);
    return [path, { ...item, ...Object.fromEntries(operations) }];
  });
  return Object.fromEntries(changed) as OpenAPIObject['paths'];
}
