import { setTimeout as pause } from 'node:timers/promises';
import { Presets, SingleBar } from 'cli-progress';
import type { World } from './world.js';

interface SyncProgress {
  readonly share_done: number | null;
  readonly pages: number;
  readonly records: number;
  readonly tasks: Readonly<Record<string, number>>;
}

interface Overview {
  readonly inbox: { readonly depth: number };
}

/** Progress of both sides, and whether either has work left. */
export interface Standing {
  readonly share: number;
  readonly pages: number;
  readonly records: number;
  readonly openTasks: number;
  readonly inbox: number;
  readonly atRest: boolean;
}

async function standing(world: World): Promise<Standing> {
  const upstream = await world.control.settle({ within_seconds: 3600, timeout_seconds: 0.2 });
  const admin = world.admin();
  const { data: sync } = await admin.get<SyncProgress>('/admin/v1/sync/progress');
  const { data: overview } = await admin.get<Overview>('/admin/v1/overview');
  const openTasks = (sync.tasks['pending'] ?? 0) + (sync.tasks['running'] ?? 0);
  const undelivered = upstream.messages.pending + upstream.messages.held;
  const waiting = upstream.pulls.open + undelivered + overview.inbox.depth + openTasks;
  return {
    share: sync.share_done ?? 1,
    pages: sync.pages,
    records: sync.records,
    openTasks,
    inbox: overview.inbox.depth,
    atRest: waiting === 0,
  };
}

/**
 * Shows the progress of the backfill until both sides have been idle for a moment: a bar on a terminal, otherwise a
 * line every few seconds. Gives up after `seconds`.
 */
export async function watchUntilAtRest(world: World, label: string, seconds: number): Promise<Standing> {
  const display = process.stdout.isTTY ? barDisplay(label) : lineDisplay(label);
  const deadline = performance.now() + seconds * 1000;
  let calm = 0;
  for (;;) {
    const now = await standing(world);
    display.show(now);
    calm = now.atRest ? calm + 1 : 0;
    if (calm >= 3 || performance.now() > deadline) {
      display.end(now);
      return now;
    }
    await pause(250);
  }
}

interface Display {
  show(standing: Standing): void;
  end(standing: Standing): void;
}

function barDisplay(label: string): Display {
  const format = `  ${label} [{bar}] {percentage}% | {pages} pages | {records} records | {tasks} pulls open | {inbox} in the inbox`;
  const bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
  bar.start(100, 0, { pages: 0, records: 0, tasks: 0, inbox: 0 });
  const show = ({ share, pages, records, openTasks, inbox }: Standing): void =>
    bar.update(Math.round(share * 100), { pages, records, tasks: openTasks, inbox });
  return {
    show,
    end: (standing) => {
      show(standing);
      bar.stop();
    },
  };
}

function lineDisplay(label: string): Display {
  let said = 0;
  const line = ({ share, pages, records, openTasks, inbox }: Standing): string =>
    `  ${label}: ${Math.round(share * 100)} %, ${pages} pages, ${records} records, ${openTasks} pulls open, ${inbox} in the inbox\n`;
  return {
    show: (standing) => {
      if (performance.now() - said < 3000) return;
      said = performance.now();
      process.stdout.write(line(standing));
    },
    end: (standing) => void process.stdout.write(line(standing)),
  };
}
