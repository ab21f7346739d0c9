import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { World } from '../world.js';

/** Parsing jobs of lab reports, as `POST /control/parsing-jobs/{id}` last set them. */
export function installParsingJobs(app: FastifyInstance, world: World): void {
  app.get('/lab_report/v1/parser/job/:job_id', (request: FastifyRequest) => {
    const job = world.parsingJobs.get((request.params as { job_id: string }).job_id);
    if (job === undefined) throw world.wording.plain(404, 'parsing_job');
    return job;
  });
  app.post('/control/parsing-jobs/:id', (request: FastifyRequest) => {
    const { id } = request.params as { id: string };
    const job = { failure_reason: null, data: null, needs_human_review: false, is_reviewed: false };
    world.parsingJobs.set(id, { id, ...job, ...(request.body as object) });
    return world.parsingJobs.get(id);
  });
}
