import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { type AlarmCode, alarmCodes, alarmList, runbookOf } from '../../src/operations/alarms/alarm-list.js';
import { Metrics } from '../../src/platform/platform/metrics.js';
import { TestApp } from '../support/test-app.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly annotations: { readonly list: readonly object[] };
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const rulesPath = 'deploy/prometheus/pulsekeep.rules.yml';
const { groups } = parse(readFileSync(rulesPath, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync('deploy/grafana/pulsekeep.json', 'utf8')) as Dashboard;

const GRID_COLUMNS = 24;

/** Prometheus adds these to everything that it scrapes. */
const added = ['job', 'instance', 'namespace'];

/** Rules about a service that does not run. */
const notRunning = ['PulsekeepAbsent', 'PulsekeepRestarting', 'PulsekeepUnanswered'];

const nameOf = (code: AlarmCode): string =>
  `Pulsekeep${code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

const partsOfHistogram = ['_bucket', '_sum', '_count'];

/** Labels by the name of each metric that the service has, with the parts of histograms. */
function metricsOf(app: TestApp): Map<string, readonly string[]> {
  interface Made {
    readonly name: string;
    readonly labelNames: readonly string[];
    readonly buckets?: readonly number[];
  }
  const made = app.get(Metrics).registry.getMetricsAsArray() as unknown as Made[];
  return new Map(
    made.flatMap(({ name, labelNames, buckets }) =>
      buckets
        ? partsOfHistogram.map((part) => [name + part, [...labelNames, 'le']] as const)
        : [[name, labelNames] as const],
    ),
  );
}

/** What an expression names that the metrics do not have. */
function unknownIn(expression: string, legend: string, metrics: Map<string, readonly string[]>): string[] {
  const used = [...expression.matchAll(/pulsekeep_\w+/g)].map(([name]) => name);
  const own = used.flatMap((name) => metrics.get(name) ?? []);
  const selected = [...expression.matchAll(/(pulsekeep_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selectors = '']) =>
    [...selectors.matchAll(/(\w+)\s*[=!]~?/g)]
      .map(([, label]) => String(label))
      .filter((label) => ![...added, ...(metrics.get(name) ?? [])].includes(label)),
  );
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => String(label));
  const unknown = [...grouped, ...shown].filter((label) => ![...added, ...own].includes(label));
  return [...used.filter((name) => !metrics.has(name)), ...selected, ...unknown];
}

describe('the files for Prometheus and Grafana', () => {
  let app: TestApp;
  let backups: string;

  beforeAll(async () => {
    // Without a folder there is no age of the newest backup.
    backups = mkdtempSync(join(tmpdir(), 'backups-'));
    app = await TestApp.create({ env: { BACKUP_FOLDER: backups } });
  });

  afterAll(async () => {
    await app.close();
    rmSync(backups, { recursive: true });
  });

  it('have one rule for each alarm, in order, after those for a service that does not run', () => {
    const found = rules.map(({ alert, expr, labels, annotations }) => ({ alert, expr, labels, annotations }));
    expect(found.slice(0, 3).map(({ alert }) => alert)).toEqual(notRunning);
    expect(found.slice(3)).toEqual(
      alarmCodes.map((code) => {
        const series = `pulsekeep_alarm{code="${code}"}`;
        const shown = code === 'database_file_lost' ? `max_over_time(${series}[10m])` : series;
        return {
          alert: nameOf(code),
          expr: `max by (namespace, job) (${shown}) > 0`,
          labels: { severity: alarmList[code].severity },
          annotations: { summary: alarmList[code].message, runbook: runbookOf(code) },
        };
      }),
    );
  });

  it('fire at once for a lost database file, because the process ends 65 s later', () => {
    const fast = rules.filter((rule) => rule.for === undefined).map(({ alert }) => alert);
    expect(fast).toEqual(['PulsekeepRestarting', 'PulsekeepDatabaseFileLost']);
  });

  it('name only existing metrics with existing labels', () => {
    const metrics = metricsOf(app);
    expect(metrics.size).toBeGreaterThan(60);
    const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
    expect(targets.length).toBeGreaterThan(20);
    const variables = dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query));
    const wrong = [
      ...rules.map(({ expr }) => ({ expr, legendFormat: '' })),
      ...variables.map((expr) => ({ expr, legendFormat: '' })),
      ...targets,
    ].flatMap(({ expr, legendFormat }) => unknownIn(expr, legendFormat, metrics).map((name) => `${name} in ${expr}`));
    expect(wrong).toEqual([]);
  });

  it('are checked by a test that finds an unknown metric or label', () => {
    const metrics = metricsOf(app);
    expect(unknownIn('sum(rate(pulsekeep_no_such_total[5m]))', '', metrics)).toEqual(['pulsekeep_no_such_total']);
    expect(unknownIn('pulsekeep_alarm{colour="red"}', '', metrics)).toEqual(['colour']);
    expect(unknownIn('max by (colour) (pulsekeep_alarm)', '{{shape}}', metrics)).toEqual(['colour', 'shape']);
  });

  it('follow the schema of Grafana, with panels side by side', () => {
    expect(dashboard).toMatchObject({ schemaVersion: expect.any(Number), annotations: { list: [] } });
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.filter((cell) => Number(cell.split(' ')[0]) >= GRID_COLUMNS)).toEqual([]);
  });

  it('call no other address', () => {
    expect(readFileSync('deploy/grafana/pulsekeep.json', 'utf8')).not.toMatch(/https?:/);
  });

  it('are accepted by promtool, and fire for each raised alarm', () => {
    // Only where it is installed: .ci/run installs it.
    if (spawnSync('promtool', ['--version']).error !== undefined) return;
    const checked = spawnSync('promtool', ['check', 'rules', rulesPath], { encoding: 'utf8' });
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining(`${rules.length} rules found`)]);
    const raised = alarmCodes.map((code) => ({ series: seriesOf(code, 'prod'), values: '0 1x20' }));
    const quiet = alarmCodes.map((code) => ({ series: seriesOf(code, 'staging'), values: '0x80' }));
    const build = (namespace: string, values: string) => ({ series: ofService('build_info', namespace), values });
    const up = (values: string) => ({ series: `up{${deployment('prod')}, instance="one"}`, values });
    const firing = (
      at: string,
      input_series: object[],
      which: (alert: string) => boolean,
      labels: object = { namespace: 'prod', job: 'a' },
    ): object => ({
      interval: '1m',
      input_series,
      alert_rule_test: rules.map((rule) => expected(rule, at, which(rule.alert) ? labels : null)),
    });
    const one = (name: string) => (alert: string) => alert === name;
    const tests = [
      firing('15m', [build('prod', '1x20'), build('staging', '1x20'), ...raised, ...quiet], (alert) => {
        return !notRunning.includes(alert);
      }),
      firing('15m', [], one('PulsekeepAbsent'), {}),
      // A deployment that is gone beside another, and alone.
      firing('60m', [build('prod', '1x10 stale'), build('staging', '1x80')], one('PulsekeepAbsent')),
      firing('60m', [build('prod', '1x10 stale')], one('PulsekeepAbsent')),
      // A process that crashes before most scrapes.
      firing(
        '58m',
        [build('prod', '1x80'), up('1 0x8 1 0x8 1 0x8 1 0x8 1 0x8 1 0x8 1 0x8')],
        one('PulsekeepUnanswered'),
      ),
      // A process that crashes between scrapes.
      firing(
        '50m',
        [
          build('prod', '1x80'),
          { series: ofService('process_start_time_seconds', 'prod'), values: '0x9 600x9 1200x9 1800x40' },
        ],
        one('PulsekeepRestarting'),
      ),
      // A rollout and a restart at night.
      firing(
        '50m',
        [
          build('prod', '1x80'),
          up('0x3 1x80'),
          { series: ofService('process_start_time_seconds', 'prod'), values: '0x9 600x20 1800x60' },
        ],
        () => false,
      ),
      // The process ended after it had shown the alarm in one scrape.
      firing(
        '15m',
        [build('prod', '1x80'), { series: seriesOf('database_file_lost', 'prod'), values: '0x9 1 stale' }],
        one('PulsekeepDatabaseFileLost'),
      ),
    ];
    const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
    const file = join(folder, 'test.yml');
    writeFileSync(file, stringify({ rule_files: [resolve(rulesPath)], evaluation_interval: '1m', tests }));
    const tested = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([tested.status, tested.stderr]).toEqual([0, '']);
  });
});

function deployment(namespace: string): string {
  return `namespace="${namespace}", job="a"`;
}

function ofService(metric: string, namespace: string): string {
  return `pulsekeep_${metric}{${deployment(namespace)}, instance="one"}`;
}

function seriesOf(code: AlarmCode, namespace: string): string {
  return `pulsekeep_alarm{code="${code}", ${deployment(namespace)}, instance="one"}`;
}

/** `found`: labels of the deployment in the alert; null if it does not fire. */
function expected({ alert, labels, annotations }: Rule, eval_time: string, found: object | null): object {
  const exp_alerts = found ? [{ exp_labels: { ...labels, ...found }, exp_annotations: annotations }] : [];
  return { eval_time, alertname: alert, exp_alerts };
}
