import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Admission } from './admission.service.js';

/** Admits every request by its headers, before its body is read. Call after the hooks that refuse complete paths. */
export function registerAdmission(app: NestFastifyApplication): void {
  const admission = app.get(Admission);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply) => admission.admit(request, reply));
}
