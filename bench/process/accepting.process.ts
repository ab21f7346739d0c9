import 'reflect-metadata';
import { Writable } from 'node:stream';
import { createApp } from '../../src/app.js';
import { pulledResources } from '../../src/catalogue/catalogue.js';
import { readConfig } from '../../src/config/environment.js';
import { serve } from './serve.js';

/* Pulsekeep without its background work: what is left is taking deliveries in. */

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

const commands = {
  async listen(env: NodeJS.ProcessEnv): Promise<{ port: number }> {
    const pulsekeep = await createApp(readConfig(env, pulledResources), { logDestination: nowhere });
    return { port: Number(new URL(await pulsekeep.listen()).port) };
  },
};
export type AcceptingCommands = typeof commands;

serve(commands);
