import '../src/app/refuse-old-node.js';
import { askedToEnd } from '../harness/processes.js';
import { SandboxControl } from '../sandbox/control-client.js';
import { accountName, signUpOne, usualResources } from './story.js';
import { clientOf, customerToken } from './world.js';

/*
 * For compose.yaml: signs people up at the running service and simulated upstream, prints how to reach the service from
 * the host, and waits until it is stopped.
 */

const PEOPLE = 5;

async function main(): Promise<void> {
  const ended = askedToEnd();
  const [service, upstream, host] = [given('DEMO_SERVICE_URL'), given('DEMO_SANDBOX_URL'), given('DEMO_HOST_URL')];
  const secret = given('APP_JWT_SECRET');
  const world = {
    control: new SandboxControl(upstream),
    app: async (account: string) => clientOf(service, await customerToken(secret, account, '10m')),
  };
  for (let index = 0; index < PEOPLE; index++) {
    await signUpOne(world, index, { resources: usualResources, per_day: 24, so_far: true });
  }
  const key = given('DEMO_OPERATOR_KEY');
  const lines = [
    '',
    `${PEOPLE} people, ${accountName(0)} to ${accountName(PEOPLE - 1)}, have connected a source.`,
    `console  ${host}/console    sign in with the key ${key}`,
    'For the calls of README.md and docs/app.md:',
    `  export URL=${host} TOKEN=${await customerToken(secret, accountName(0), '30d')} ADMIN_KEY=${key}`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  // A pending promise alone does not keep the process alive.
  const running = setInterval(() => undefined, 60_000);
  await ended;
  clearInterval(running);
}

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is required; see compose.yaml.`);
  return value;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'The demo failed.'}\n`);
  process.exitCode = 1;
});
