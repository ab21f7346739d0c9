import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type AdminRole, adminKeys } from '../../support/environment.js';
import { FakeClock } from '../../support/fake-clock.js';
import { signedMessage } from '../../support/signed-message.js';
import { TestApp } from '../../support/test-app.js';

const folder = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'console');
const pictures = '.test-build/pictures';

/** Where a picture is kept, to be looked at. */
export function pictureOf(name: string): string {
  mkdirSync(pictures, { recursive: true });
  return join(pictures, `${name}.png`);
}

const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** Builds the console where the service of this run looks for it, as for production although this is a test. */
export function buildConsole(): void {
  if (existsSync(join(folder, 'index.html'))) return;
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'console/vite.config.mjs', '--outDir', folder];
  execFileSync(process.execPath, [...vite, '--emptyOutDir'], { env: { ...process.env, NODE_ENV: 'production' } });
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
}

/** A service with the data of two people, one message that is no JSON, and the time of this machine. */
export async function twoPeople(): Promise<TestApp> {
  const now = Date.now();
  const app = await TestApp.create({
    clock: new FakeClock(now),
    sandbox: { startAt: now },
    env: { SYNC_RESOURCES: 'sleep,steps' },
  });
  await app.connect('demo-user-01', 'oura', { days: 3, per_day: 1 });
  await app.connect('demo-user-02', 'fitbit', { days: 3, per_day: 1 });
  await app.settle();
  const poisoned = signedMessage('poisoned', 'not json', undefined, now);
  await app.call('POST', '/webhooks', poisoned.headers, poisoned.body);
  await app.settle();
  return app;
}

/** Reports errors and warnings of all pages on their console, also of their policy, and requests to other places. */
export function watch(context: BrowserContext, isOwn: (url: string) => boolean, tell: (trouble: string) => void): void {
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) tell(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => tell(`error: ${error.error().message}`));
  context.on('request', (request) => {
    if (!isOwn(request.url())) tell(`request to ${request.url()}`);
  });
}

/** Accessibility rules that the page breaks. */
export async function violations(page: Page): Promise<string[]> {
  // As high as its content, so that the bars at the edges of the window cover nothing.
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const content = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width, height: Math.max(height, content) });
  await page.evaluate(axe);
  const found = await page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  await page.setViewportSize({ width, height });
  return found;
}

/** Opens the console with a session of this key. */
export async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.context().request.post(`${url}/admin/v1/sessions`, { headers: { authorization: `Bearer ${key}` } });
  await page.goto(`${url}/console?signed_in=1`);
}

export interface Look {
  readonly role?: AdminRole;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** Address of the service; that of the spec file if omitted. */
  readonly url?: string;
}

/** A person at the console: signed in, at the time of the service, with everything that goes wrong noted. */
export class ConsolePage {
  private constructor(
    readonly page: Page,
    private readonly look: Required<Look>,
    /** Errors on the console, of scripts and of the policy, and requests to other hosts, of all tabs. */
    readonly troubles: string[],
  ) {}

  /** Not signed in, at the time of this machine. */
  static async blank(browser: Browser, app: TestApp, look: Look = {}): Promise<ConsolePage> {
    const { role = 'operator', width = 1280, height = 900, theme = 'light', url = app.url } = look;
    const context = await browser.newContext({
      ...{ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', timezoneId: 'UTC' },
    });
    context.setDefaultTimeout(120_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    const troubles: string[] = [];
    watch(
      context,
      (asked) => asked.startsWith(`${url}/`) || asked.startsWith('blob:'),
      (trouble) => troubles.push(trouble),
    );
    return new ConsolePage(await context.newPage(), { role, width, height, theme, url }, troubles);
  }

  static async open(browser: Browser, app: TestApp, look: Look = {}): Promise<ConsolePage> {
    const opened = await ConsolePage.blank(browser, app, look);
    await opened.page.clock.setFixedTime(app.clock.now());
    await opened.signIn();
    return opened;
  }

  /** Another tab of the same person. */
  async tab(): Promise<ConsolePage> {
    return new ConsolePage(await this.page.context().newPage(), this.look, this.troubles);
  }

  async signIn(): Promise<void> {
    await signIn(this.page, this.look.url, adminKeys[this.look.role]);
    await this.page.getByRole('navigation', { name: 'Views' }).waitFor();
  }

  /** Opens a view; waits until it has been read and has this text, if one is given. */
  async goTo(path: string, shows?: string): Promise<void> {
    await this.page.goto(`${this.look.url}/console${path}`);
    if (shows === undefined) return;
    await this.page.getByText(shows, { exact: false }).first().waitFor();
    await this.page.locator('.loading').first().waitFor({ state: 'detached' });
  }

  /** Accessibility violations, and whether anything scrolls sideways; a picture of it is kept. */
  async examine(name: string): Promise<string[]> {
    const { width, theme } = this.look;
    await this.page.screenshot({ path: pictureOf(`${name}-${theme}-${width}`), fullPage: width < 1_000 });
    const isWide = await this.page.evaluate(
      `[document.documentElement, ...document.querySelectorAll('nav, .frame:not(.beside *)')]
        .some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)`,
    );
    const found = await violations(this.page);
    return [...found, ...(isWide ? ['scrolls sideways'] : [])].map((fault) => `${name}: ${fault}`);
  }

  /** Keeps a picture of what is shown as on a phone. */
  async pictureNarrow(name: string): Promise<void> {
    const { page, look } = this;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: pictureOf(`${name}-${look.theme}-390`), fullPage: true });
    await page.setViewportSize({ width: look.width, height: look.height });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** The service and the browser of a spec file, and the page that the current test opened last. */
export interface ConsoleSpec {
  app: TestApp;
  console: ConsolePage;
  open: (look?: Look) => Promise<ConsolePage>;
  blank: (look?: Look) => Promise<ConsolePage>;
}

/** Begins and ends them around the tests of the file, and fails a test of which a page had any trouble. */
export function consoleSpec(begin: () => Promise<TestApp>): ConsoleSpec {
  let browser: Browser;
  const opened: ConsolePage[] = [];
  const keep = (page: ConsolePage): ConsolePage => {
    opened.push(page);
    return (spec.console = page);
  };
  const spec = {
    open: async (look) => keep(await ConsolePage.open(browser, spec.app, look)),
    blank: async (look) => keep(await ConsolePage.blank(browser, spec.app, look)),
  } as ConsoleSpec;

  beforeAll(async () => {
    buildConsole();
    [spec.app, browser] = await Promise.all([begin(), launch()]);
  });

  afterEach(async () => {
    const pages = opened.splice(0);
    expect(pages.flatMap(({ troubles }) => troubles)).toEqual([]);
    for (const page of pages) await page.close();
  });

  afterAll(async () => {
    await browser.close();
    await spec.app.close();
  });

  return spec;
}
