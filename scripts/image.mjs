import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/*
 * npm run test:image
 * Runs the steps of the Dockerfile without a container engine, so that they stay valid. Each stage is a separate file
 * system in a mount namespace, with this machine's /usr (read-only) instead of the base image's, and the Node line of
 * .nvmrc from its npm package. Then starts the result as another uid of group 0 on a read-only root, where only /data
 * and /tmp are writable, and runs its health check. Needs Linux and root. Prints how much the image adds to its base.
 */

if (process.getuid?.() !== 0) {
  process.stderr.write('npm run test:image needs root to create mount namespaces.\n');
  process.exit(1);
}

const root = resolve(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'pulsekeep-image-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** `[instruction, rest]` for each step; joins continued lines. */
function steps(text) {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => /^(\w+) (.*)$/.exec(line).slice(1));
}

/** The Node line of the image. */
function nodeOfTheImage() {
  const line = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
  const { arch } = process;
  const folder = join(work, 'node');
  mkdirSync(folder);
  const [file] = JSON.parse(
    execFileSync('npm', ['pack', '--json', `node-linux-${arch}@${line}`], { cwd: folder, encoding: 'utf8' }),
  );
  execFileSync('tar', ['xzf', file.filename, '--strip-components=1'], { cwd: folder });
  return folder;
}

/** Access to the registry from this machine: proxies, certificates and npm settings. */
const reaching = Object.entries(process.env).filter(([name]) =>
  /^(npm_config_(?!.*prefix)|node_extra_ca_certs$|ssl_cert|https?_proxy$|no_proxy$)/i.test(name),
);

const node = nodeOfTheImage();

/** Runs a command in the file system of a stage. With `readOnly`, only the listed paths are writable. */
function inStage(stage, command, { uid = 0, readOnly = null, env = {} } = {}) {
  const mounts = [
    `mount --bind ${stage.folder} ${stage.folder}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${stage.folder}`] : []),
    ...['usr', 'etc', 'proc', 'dev'].map((name) => `mount --rbind -o ro /${name} ${stage.folder}/${name}`),
    `mount --bind -o ro ${node} ${stage.folder}/opt/node`,
    `mount -t tmpfs tmpfs ${stage.folder}/tmp && chmod 1777 ${stage.folder}/tmp`,
    ...(readOnly ?? []).map(
      (path) =>
        `mount --bind ${stage.folder}${path} ${stage.folder}${path} && mount -o remount,bind,rw ${stage.folder}${path}`,
    ),
  ];
  const path = 'PATH=/opt/node/bin:/usr/local/bin:/usr/bin:/bin';
  const variables = Object.entries({ HOME: '/tmp', ...Object.fromEntries(reaching), ...stage.env, ...env });
  const script = [
    'set -e',
    ...mounts,
    `exec chroot --userspec=${uid}:0 ${stage.folder} env -i ${path} ${variables.map(([name, value]) => `'${name}=${value}'`).join(' ')} sh -c 'cd ${stage.workdir} || exit 1; ${command.replaceAll("'", `'\\''`)}'`,
  ].join('\n');
  return spawnSync('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function newStage(name) {
  const folder = join(work, `stage-${name}`);
  for (const each of ['usr', 'etc', 'proc', 'dev', 'tmp', 'opt/node', 'root'])
    mkdirSync(join(folder, each), { recursive: true });
  for (const link of ['bin', 'lib', 'lib64', 'sbin']) {
    if (existsSync(`/usr/${link}`)) execFileSync('ln', ['-s', `usr/${link}`, join(folder, link)]);
  }
  return { name, folder, workdir: '/', env: {}, user: null, command: null, healthCheck: null };
}

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
/** True if the image needs this stage; the simulated upstream's stage is for compose.yaml. */
const isNeeded = (name) => name === 'final' || dockerfile.includes(`--from=${name} `);

const stages = new Map();
let stage = null;
for (const [instruction, rest] of steps(dockerfile)) {
  if (instruction === 'FROM') {
    const [, name = 'final'] = / AS (\w+)$/.exec(rest) ?? [];
    stage = isNeeded(name) ? newStage(name) : null;
    if (stage) stages.set(name, stage);
  } else if (stage === null || instruction === 'ARG') {
    continue;
  } else if (instruction === 'WORKDIR') {
    stage.workdir = rest;
    mkdirSync(join(stage.folder, rest), { recursive: true });
  } else if (instruction === 'COPY') {
    const [, from, what] = /^(?:--from=(\w+) )?(.*)$/.exec(rest);
    const paths = what.split(' ');
    const target = paths.pop();
    for (const path of paths) {
      const source = from ? join(stages.get(from).folder, path) : join(root, path);
      const folder = join(stage.folder, stage.workdir, target);
      cpSync(source, target.endsWith('/') ? join(folder, basename(path)) : folder, {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  } else if (instruction === 'RUN') {
    const { status, stdout } = inStage(stage, rest);
    if (status !== 0) {
      process.stdout.write(stdout);
      process.stderr.write(`${stage.name}: RUN ${rest} ended with ${status}\n`);
      process.exit(1);
    }
    process.stdout.write(`${stage.name}: RUN ${rest}\n`);
  } else if (instruction === 'ENV') {
    for (const pair of rest.split(' ')) stage.env[pair.split('=')[0]] = pair.slice(pair.indexOf('=') + 1);
  } else if (instruction === 'USER') stage.user = rest;
  else if (instruction === 'CMD') stage.command = JSON.parse(rest);
  else if (instruction === 'HEALTHCHECK') stage.healthCheck = JSON.parse(rest.replace(/^.*CMD /, ''));
}

const image = stages.get('final');
const folders = ['app', 'data'].map((name) => join(image.folder, name));
const bytes = folders.map((folder) => Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0]));
const packed = Number(
  execFileSync('sh', ['-c', `tar c -C ${image.folder} app data | gzip | wc -c`], { encoding: 'utf8' }),
);
const megabytes = (count) => `${(count / 1e6).toFixed(0)} MB`;
process.stdout.write(`added to the base image: ${megabytes(bytes[0] + bytes[1])}, packed ${megabytes(packed)}\n`);

const data = statSync(join(image.folder, 'data'));
const secret = `whsec_${Buffer.from('image-test-image-test').toString('base64')}`;
const environment = {
  UPSTREAM_BASE_URL: 'http://127.0.0.1:9',
  UPSTREAM_API_KEY: 'sk_us_image',
  UPSTREAM_REGION: 'us',
  UPSTREAM_ENVIRONMENT: 'sandbox',
  WEBHOOK_SECRETS: secret,
  APP_JWT_SECRET: 'image-test-image-test-image-test-image',
  ADMIN_API_KEYS: `image:operator:${'1'.repeat(64)}`,
  PORT: '38127',
  HOST: '127.0.0.1',
  DRAIN_SECONDS: '0',
};
const script = `${image.command.map((word) => `"${word}"`).join(' ')} > /tmp/log 2>&1 & service=$!
trap 'kill -KILL $service 2>/dev/null' EXIT
for turn in $(seq 1 100); do ${image.healthCheck.join(' ')} && break; kill -0 $service 2>/dev/null || break; sleep 0.3; done
${image.healthCheck.join(' ')} || { cat /tmp/log; exit 1; }
if touch /app/written 2>/dev/null; then echo "the root is writable"; exit 1; fi
test -f /data/pulsekeep.sqlite
kill -TERM $service; wait $service; echo "ended with $?"`;
writeFileSync(join(image.folder, 'app/.keep'), '');
const run = inStage(image, script, { uid: 123_456, readOnly: ['/data'], env: environment });
process.stdout.write(run.stdout);
const isGood = run.status === 0 && run.stdout.includes('ended with 0') && image.user === '1000:0' && data.gid === 0;
process.stdout.write(
  isGood
    ? 'the image starts, serves and stops as a random uid of group 0 on a read-only root\n'
    : 'the image does not work\n',
);
process.exitCode = isGood ? 0 : 1;
