import 'reflect-metadata';
import { Writable } from 'node:stream';
import { createApp } from '../../src/app/app.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { serve } from './serve.js';

/* Pulsekeep without background work: it only accepts deliveries. */

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

const commands = {
  async listen(env: NodeJS.ProcessEnv): Promise<{ port: number }> {
    const pulsekeep = await createApp(readConfig(env, pulledResources), { logDestination: nowhere });
    return { port: Number(new URL(await pulsekeep.listen()).port) };
  },
};
export type AcceptingCommands = typeof commands;

serve(commands);
