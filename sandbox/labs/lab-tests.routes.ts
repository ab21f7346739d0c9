import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findLabTest, LAB_TESTS, type LabTest } from '../facts/lab-tests.js';
import { invalid } from '../http/answers.js';
import { object, queryInteger, text, uuid } from '../http/strict.js';
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

interface PageQuery {
  page?: string;
  size?: string;
}

/** The markers of a test with their questions, page by page (docs/upstream/orders.md#questions). */
function markers({ lab, markers: all }: LabTest, query: PageQuery): Record<string, unknown> {
  const [page, size] = [Number(query.page ?? 1), Number(query.size ?? DEFAULT_LIMIT)];
  const shown = all.slice((page - 1) * size, page * size).map(({ unit, range: _, questions = [], ...marker }) => ({
    ...marker,
    lab_id: lab.id,
    unit,
    questions,
  }));
  return { markers: shown, total: all.length, page, size, pages: Math.ceil(all.length / size) };
}

/** Lab tests that can be ordered: docs/upstream/orders.md#lab-tests */
export function installLabTests(app: FastifyInstance, world: World): void {
  const querystring = object({ lab_test_limit: queryInteger, next_cursor: text });
  const params = object({ lab_test_id: uuid }, ['lab_test_id']);
  const testOf = (request: FastifyRequest): LabTest => {
    const test = findLabTest((request.params as { lab_test_id: string }).lab_test_id);
    if (test === undefined) throw world.wording.plain(404, 'lab_test');
    return test;
  };
  app.get('/v3/lab_tests/:lab_test_id', { schema: { params, querystring: object({}) } }, (request) =>
    labTestWire(testOf(request)),
  );
  const paging = object({ page: queryInteger, size: queryInteger });
  app.get('/v3/lab_tests/:lab_test_id/markers', { schema: { params, querystring: paging } }, (request) =>
    markers(testOf(request), request.query as PageQuery),
  );
  app.get('/v3/lab_test', { schema: { querystring } }, (request) => list(world, request.query as ListQuery));
}
