import { readdirSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { variables } from '../../src/platform/config/variables.js';
import { environment } from '../support/environment.js';

const read = (path: string): string => readFileSync(path, 'utf8');

interface Container {
  readonly image: string;
  readonly env?: readonly { readonly name: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly allowPrivilegeEscalation: boolean };
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec: {
        readonly enableServiceLinks: boolean;
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsGroup: number };
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const folder = 'deploy/kubernetes';
const overlays = ['sqlite', 'postgres'];
const resources = ['base', ...overlays].flatMap((part) =>
  readdirSync(`${folder}/${part}`)
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(read(`${folder}/${part}/${file}`)).map((one) => one.toJS() as Resource)),
);
const pods = resources.flatMap(({ metadata, spec }) => (spec?.template ? [{ ...spec, name: metadata.name }] : []));
const known = (name: string): boolean => name.replace(/_FILE$/, '') in variables;

describe('the Kubernetes manifests', () => {
  it('list every file of their folder in a kustomization', () => {
    for (const part of ['base', ...overlays]) {
      const { resources: listed } = parse(read(`${folder}/${part}/kustomization.yaml`)) as { resources: string[] };
      const files = readdirSync(`${folder}/${part}`).filter((file) => /(?<!kustomization)\.yaml$/.test(file));
      expect(listed.filter((name) => name !== '../base').sort()).toEqual(files.sort());
    }
  });

  it('run every pod without root, without service links and on a read-only root', () => {
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'pulsekeep',
      'pulsekeep-api',
      'pulsekeep-migrate',
      'pulsekeep-worker',
    ]);
    for (const { template, volumeClaimTemplates = [] } of pods) {
      const pod = template?.spec;
      expect(pod?.enableServiceLinks).toBe(false);
      expect(pod?.automountServiceAccountToken).toBe(false);
      expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsGroup: 0 });
      const volumes = [...(pod?.volumes ?? []), ...volumeClaimTemplates.map(({ metadata }) => metadata)];
      for (const container of pod?.containers ?? []) {
        expect(container.securityContext).toMatchObject({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
        });
        const mounted = container.volumeMounts.map(({ name }) => name);
        expect(mounted.sort()).toEqual(volumes.map(({ name }) => name).sort());
        expect(container.env?.filter(({ name }) => !known(name)) ?? []).toEqual([]);
      }
    }
  });

  it('probe existing addresses of the service', () => {
    const serving = pods
      .filter(({ name }) => name !== 'pulsekeep-migrate')
      .flatMap(({ template }) => template?.spec.containers ?? []);
    expect(serving).toHaveLength(3);
    for (const { livenessProbe, readinessProbe } of serving) {
      expect(livenessProbe?.httpGet.path).toBe('/livez');
      expect(readinessProbe?.httpGet.path).toBe('/readyz');
    }
  });

  it('set only variables that exist, and no secret as a value', () => {
    for (const part of overlays) {
      const names = read(`${folder}/${part}/settings.env`)
        .split('\n')
        .filter(Boolean)
        .map((line) => String(line.split('=')[0]));
      expect(names.filter((name) => !known(name))).toEqual([]);
      expect(names.filter((name) => /KEY|SECRET|KEYS$/.test(name) && !name.endsWith('_FILE'))).toEqual([]);
    }
  });
});

describe('the image, the manifests and compose.yaml', () => {
  it('listen on IPv4 and IPv6, because a pod may have an IPv6 address only', () => {
    const files = ['Dockerfile', 'compose.yaml', ...overlays.map((part) => `${folder}/${part}/settings.env`)];
    const hosts = files.flatMap((file) => [...read(file).matchAll(/\bHOST(?:=|: )(\S+?),?(?=\s)/g)]);
    expect(hosts.length).toBeGreaterThan(5);
    expect(hosts.map(([, host]) => host?.replaceAll("'", '')).filter((host) => host !== '::')).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<
      string,
      {
        profiles?: string[];
        environment?: Record<string, string>;
        volumes?: string[];
        read_only?: boolean;
        image?: string;
      }
    >;
    volumes: Record<string, null>;
  };
  const own = Object.entries(services).filter(([, { image }]) => image?.startsWith('pulsekeep:'));

  it('starts one service by default and the others by their profile', () => {
    const byProfile = Object.entries(services).map(
      ([name, { profiles }]) => `${name}: ${profiles?.join() ?? 'default'}`,
    );
    expect(byProfile.sort()).toEqual([
      'api: postgres',
      'demo-service: demo',
      'demo: demo',
      'migrate: postgres',
      'pgbouncer: postgres',
      'postgres: postgres',
      'pulsekeep: default',
      'sandbox: demo',
      'worker: postgres',
    ]);
  });

  it('runs the image of this version on a read-only root with variables that exist', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(own.map(([name]) => name).sort()).toEqual(['api', 'demo-service', 'migrate', 'pulsekeep', 'worker']);
    for (const [, { image, read_only, environment = {} }] of own) {
      expect(image).toBe(`pulsekeep:${version}`);
      expect(read_only).toBe(true);
      expect(Object.keys(environment).filter((name) => !known(name))).toEqual([]);
    }
  });

  function faultOf(env: Record<string, string>): string | null {
    try {
      readConfig(env, pulledResources);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('gives its services a configuration with which they start', () => {
    const empty = { UPSTREAM_BASE_URL: 'https://api.example.com', UPSTREAM_API_KEY: 'sk_us_x', UPSTREAM_REGION: 'us' };
    const filled = { ...environment(), ...empty };
    for (const [name, { environment: given = {} }] of own) {
      const set = Object.entries(given).map(([key, value]) => [key, value.replace(/\$\{\w+:-(\w+)\}/, '$1')]);
      const all = {
        ...(name === 'demo-service' ? {} : filled),
        ...(Object.fromEntries(set) as Record<string, string>),
      };
      expect({ [name]: faultOf(all) }).toEqual({ [name]: null });
    }
  });

  it('declares every volume that a service names', () => {
    const named = Object.values(services).flatMap(({ volumes: used = [] }) =>
      used.map((one) => String(one.split(':')[0])),
    );
    expect([...new Set(named)].sort()).toEqual(Object.keys(volumes).sort());
  });
});

describe('the systemd unit', () => {
  const unit = read('deploy/systemd/pulsekeep.service');

  it('starts the same as npm start, as its own user that may write only to its state folder', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(unit).toContain(`ExecStart=/usr/bin/${scripts['start']}\n`);
    for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'StateDirectory=pulsekeep', 'NoNewPrivileges=yes']) {
      expect(unit.split('\n')).toContain(line);
    }
  });

  it('comes back after a reload that met the first moments of its start', () => {
    expect(unit.split('\n')).toContain('RestartForceExitStatus=SIGHUP');
  });

  it('sets only variables that exist', () => {
    const names = [...unit.matchAll(/^Environment=(.*)$/gm)]
      .flatMap(([, pairs]) => String(pairs).split(' '))
      .map((pair) => String(pair.split('=')[0]));
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});

describe('the workflows', () => {
  it('run what CI runs on every supported line of Node', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const lines = [...engines.node.matchAll(/\^(\d+)\./g)].map(([, line]) => String(line));
    const { jobs } = parse(read('.github/workflows/ci.yml')) as {
      jobs: { check: { strategy: { matrix: { node: string[] } }; steps: { run?: string }[] } };
    };
    expect(jobs.check.strategy.matrix.node).toEqual(lines);
    expect(jobs.check.steps.at(-1)?.run).toContain('.ci/run');
  });
});
