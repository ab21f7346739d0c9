import type { FaultKind } from '../engine/faults.js';
import { findSeriesByPath, findSummary } from '../facts/catalogue.js';
import type { User } from '../users/user.js';
import type { World } from '../world.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

function userIn(world: World, path: string): User | undefined {
  const [id] = UUID.exec(path) ?? [];
  return id === undefined ? undefined : world.users.find(id);
}

function pickOf<T>(world: World, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : world.ids.rng('forget', world.ids.integer('forget')).pick(items);
}

function forgetUser(world: World, path: string): void {
  const user = userIn(world, path);
  if (user !== undefined) world.users.erase(user.user_id);
}

function forgetConnection(world: World, path: string): void {
  const user = userIn(world, path);
  const provider = pickOf(world, [...(user?.connections.keys() ?? [])]);
  if (provider !== undefined) user?.connections.delete(provider);
}

function forgetData(world: World, path: string): void {
  const user = userIn(world, path);
  const parts = path.split('/');
  const series = parts.map(findSeriesByPath).find((found) => found !== undefined);
  const summary = parts.map(findSummary).find((found) => found !== undefined);
  if (user === undefined) return;
  if (series !== undefined) {
    const point = pickOf(world, world.data.points.visible(user.user_id, series.name));
    if (point !== undefined) world.data.points.remove(user.user_id, series, [point]);
  } else if (summary !== undefined) {
    const row = pickOf(world, world.data.summaries.visible(user.user_id, summary.name));
    if (row !== undefined) world.data.summaries.remove(user.user_id, summary.name, row.object.id);
  }
}

/** Deletions of upstream data without an event, triggered by a call that names the data. */
export const FORGET: Readonly<Partial<Record<FaultKind, (world: World, path: string) => void>>> = {
  forget_user: forgetUser,
  forget_connection: forgetConnection,
  forget_data: forgetData,
};
