import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Admission } from './admission.service.js';

/** Judges every request by its head before its body is read. Call after the hooks that refuse an address altogether. */
export function registerAdmission(app: NestFastifyApplication): void {
  const admission = app.get(Admission);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply) => admission.admit(request, reply));
}
