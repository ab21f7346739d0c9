import { spawnSync } from 'node:child_process';

const { status, stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
/** `pg_dump` refuses a server that is newer than itself; template.mjs asked the server for its major version. */
const major = Number(/(\d+)/.exec(stdout ?? '')?.[1]);
const isNewEnough = major >= Number(process.env['PULSEKEEP_TEST_POSTGRES_MAJOR'] ?? 0);

/** True if the tested PostgreSQL can be backed up by the installed tools. */
export const canDumpPostgres = Boolean(process.env['TEST_DATABASE_URL']) && status === 0 && isNewEnough;
/** True if the tested database can be backed up; SQLite always. */
export const canBackUp = !process.env['TEST_DATABASE_URL'] || canDumpPostgres;
