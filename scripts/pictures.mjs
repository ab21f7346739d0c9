/*
 * `npm run pictures`: takes the pictures of the README from a demo that it starts. Needs `npm run build` and a Chromium
 * (CHROMIUM, default /usr/bin/chromium).
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const folder = 'docs/pictures';
const LARGEST_BYTES = 160_000;

const demo = spawn(process.execPath, ['dist/demo/main.js'], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => demo.once('exit', resolve));
let address;
let files;
for await (const line of createInterface({ input: demo.stdout })) {
  address ??= /http\S+\/sign-in\/\S+/.exec(line)?.[0];
  files ??= /files and logs +(\S+)/.exec(line)?.[1];
  if (line.startsWith('Upstream is away')) break;
}
demo.stdout.resume();

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(address);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  // The outage of the story is over, and its alarm was cleared.
  await page.getByText('Upstream is unreachable or failing.').waitFor({ timeout: 120_000 });
  await page.getByText('Upstream is unreachable or failing.').waitFor({ state: 'detached', timeout: 180_000 });
  await take(page, 'overview');
  const day = new Date(Date.now() - 58 * 86_400_000).toISOString().slice(0, 10);
  // The sources of the story were connected a moment ago: their first pulls end within two minutes.
  await page.waitForTimeout(130_000);
  await page.goto(new URL(`/console/accounts/demo-user-07?day=${day}&provider=oura&resource=sleep`, page.url()).href);
  await page.locator('.conclusion').waitFor();
  await page.locator('.field-of-days canvas').waitFor();
  await take(page, 'calendar');
} finally {
  await browser.close();
  demo.kill('SIGINT');
  await ended;
  if (files) rmSync(files, { recursive: true, force: true });
}

async function take(page, name) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > LARGEST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${LARGEST_BYTES}`);
  process.stdout.write(`${path}  ${size} bytes\n`);
}
