import type { FastifyInstance } from 'fastify';
import { LAB_TESTS } from '../facts/lab-tests.js';
import { invalid } from '../http/answers.js';
import { object, queryInteger, text } from '../http/strict.js';
import type { World } from '../world.js';
import { labTestWire } from './order-shapes.js';

interface ListQuery {
  lab_test_limit?: string;
  next_cursor?: string;
}

const DEFAULT_LIMIT = 50;
const CURSOR_OF = ['lab tests'] as const;

function list(world: World, { lab_test_limit, next_cursor }: ListQuery): Record<string, unknown> {
  const limit = Number(lab_test_limit ?? DEFAULT_LIMIT);
  if (limit < 1) throw invalid(['query', 'lab_test_limit'], 'Input should be greater than 0', 'greater_than');
  const from = next_cursor === undefined ? 0 : world.cursors.decode(CURSOR_OF, next_cursor);
  if (typeof from !== 'number') throw invalid(['query', 'next_cursor'], 'Cursor is not valid');
  const page: unknown[] = LAB_TESTS.slice(from, from + limit).map(labTestWire);
  const next = from + limit < LAB_TESTS.length ? world.cursors.encode(CURSOR_OF, from + limit) : null;
  if (world.settings.malformed_items) page.push({ slug: 'without-an-id' });
  return { data: page, next_cursor: next };
}

/** Lab tests that can be ordered: docs/upstream/orders.md#lab-tests */
export function installLabTests(app: FastifyInstance, world: World): void {
  const querystring = object({ lab_test_limit: queryInteger, next_cursor: text });
  app.get('/v3/lab_test', { schema: { querystring } }, (request) => list(world, request.query as ListQuery));
}
