import { createHash, randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { adminKeys } from '../../platform/config/admin-key.js';
import { InvalidValue } from '../../platform/config/parsers.js';
import { groupOf } from './api-commands.js';
import { type OutputOptions, type Result, type Runner, withOutputOptions } from './command.js';
import { aligned } from './tables.js';
import { wrongUsage } from './world.js';

const KEY_BYTES = 32;

export function addKeys(cli: Command, runner: Runner): void {
  const keys = groupOf(cli, 'keys', 'keys of the admin API');
  const create = keys
    .command('create')
    .description('create a key and its entry for ADMIN_API_KEYS; nothing is stored')
    .argument('<name>', 'name of its holder in the access log')
    .argument('<role>', 'monitor, viewer, reader, backend, operator or feed');
  withOutputOptions(create).action((name: string, role: string, options: OutputOptions) =>
    runner.alone(options, async () => created(name, role)),
  );
}

function created(name: string, role: string): Result {
  const key = randomBytes(KEY_BYTES).toString('hex');
  const entry = `${name}:${role}:${createHash('sha256').update(key).digest('hex')}`;
  try {
    adminKeys(entry);
  } catch (error) {
    throw error instanceof InvalidValue
      ? wrongUsage(`ADMIN_API_KEYS would not take ${name}:${role}: it ${error.message}`)
      : error;
  }
  const note =
    'Give the key to its holder: it is shown only here. Add the entry to ADMIN_API_KEYS, separated by a comma.';
  return { good: true, lines: aligned({ key, entry }), json: { key, entry }, note };
}
