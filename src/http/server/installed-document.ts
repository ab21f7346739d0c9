import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The content of `openapi.json`; undefined if the file was not installed with the program. */
export function installedDocument(): OpenAPIObject | undefined {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'openapi.json'))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as OpenAPIObject;
}
