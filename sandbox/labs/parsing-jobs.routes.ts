import type { File } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../http/answers.js';
import type { World } from '../world.js';
import type { ParsingJob } from './parsing-jobs.js';

/** docs/upstream/parsing.md#limits */
const MAX_BYTES = 30 * 1_048_576;
const MAX_IMAGES = 8;
const BEGINNINGS: readonly (readonly [type: string, bytes: number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
];

const waiting = { failure_reason: null, data: null, needs_human_review: false, is_reviewed: false };

function matchesItsType(file: File, bytes: Uint8Array): boolean {
  const beginning = BEGINNINGS.find(([type]) => type === file.type)?.[1];
  return beginning?.every((byte, index) => bytes[index] === byte) ?? false;
}

async function upload(world: World, form: FormData): Promise<ParsingJob> {
  const userId = form.get('user_id');
  if (typeof userId !== 'string') throw invalid(['body', 'user_id'], 'Field required', 'missing');
  world.users.get(userId);
  const files = form.getAll('file').filter((value) => typeof value !== 'string') as unknown as File[];
  if (files.length === 0) throw invalid(['body', 'file'], 'Field required', 'missing');
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) throw world.wording.plain(413, 'report');
  const contents = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
  const isOdd = files.some((file, index) => !matchesItsType(file, contents[index] ?? new Uint8Array()));
  const pdfs = files.filter(({ type }) => type === 'application/pdf').length;
  if (isOdd || files.length > MAX_IMAGES || (pdfs > 0 && files.length > 1)) throw world.wording.plain(400, 'report');
  const needs_human_review = form.get('needs_human_review') === 'true';
  const job = { ...waiting, id: world.ids.uuid('parsing job'), status: 'upload_pending', needs_human_review };
  world.parsingJobs.set(job.id, {
    job,
    uploaded: { needs_human_review, files: files.map(({ name, type, size }) => ({ name, type, bytes: size })) },
  });
  return job;
}

/** Parsing jobs of lab reports (docs/upstream/parsing.md). `POST /control/parsing-jobs/{id}` moves one. */
export function installParsingJobs(app: FastifyInstance, world: World): void {
  const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;
  app.addContentTypeParser(/^multipart\/form-data/, { parseAs: 'buffer' }, (request: FastifyRequest, bytes: Buffer) =>
    new Response(bytes, {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData(),
  );
  app.post('/lab_report/v1/parser/job', (request) => {
    if (!(request.body instanceof FormData)) throw invalid(['body', 'file'], 'Field required', 'missing');
    return upload(world, request.body);
  });
  app.get('/lab_report/v1/parser/job/:id', (request) => {
    const known = world.parsingJobs.get(idOf(request));
    if (known === undefined) throw world.wording.plain(404, 'parsing_job');
    return known.job;
  });
  app.get('/control/parsing-jobs/:id', (request) => world.parsingJobs.get(idOf(request)) ?? null);
  app.post('/control/parsing-jobs/:id', (request) => {
    const id = idOf(request);
    const known = world.parsingJobs.get(id) ?? { job: { ...waiting, id, status: 'started' }, uploaded: null };
    const job = { ...known.job, ...(request.body as object) };
    world.parsingJobs.set(id, { ...known, job });
    return job;
  });
}
