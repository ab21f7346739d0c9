import type { FastifyInstance } from 'fastify';
import type { Written } from '../data/health-data.js';
import type { Point, StoredPoint } from '../data/points.js';
import { findSeries, type SeriesResource } from '../facts/catalogue.js';
import type { World } from '../world.js';
import { refusal, userOrRefusal } from './control-error.js';
import { bodies } from './control-schemas.js';

interface DevicesBody {
  user_id: string;
  provider: string;
  resource: string;
  device_ids: (string | null)[];
  count?: number;
  notify?: boolean;
}

/** Samples of the same time, source and sub-series, regardless of their device. */
function siblingsOf(points: readonly StoredPoint[]): StoredPoint[][] {
  const sets = new Map<string, StoredPoint[]>();
  for (const point of points) {
    const { sourceType, workoutId, sport, type, start } = point;
    const key = JSON.stringify([sourceType, workoutId, sport, type, start]);
    const known = sets.get(key);
    if (known === undefined) sets.set(key, [point]);
    else known.push(point);
  }
  return [...sets.values()];
}

function withDevice(
  world: World,
  resource: SeriesResource,
  first: StoredPoint,
  device: [number, string | null],
): Point {
  const { seq, hidden, ...point } = first;
  const [index, deviceId] = device;
  if (index === 0) return { ...point, deviceId };
  const value = world.generator.otherValue(resource, first.value, `${seq}-device-${index}`);
  return { ...point, deviceId, value };
}

function nameDevices(world: World, body: DevicesBody): Written {
  const user = userOrRefusal(world, body.user_id);
  const resource = findSeries(body.resource);
  if (resource === undefined) throw refusal(400, 'no such timeseries');
  const visible = world.data.points.visible(user.user_id, resource.name);
  const sets = siblingsOf(visible.filter(({ provider }) => provider === body.provider)).slice(
    -(body.count ?? visible.length),
  );
  const points = body.device_ids.flatMap((deviceId, index) =>
    sets.flatMap(([first]) => (first === undefined ? [] : [withDevice(world, resource, first, [index, deviceId])])),
  );
  return world.data.replacePoints(user, resource, { old: sets.flat(), points, notify: body.notify ?? true });
}

/** Devices shown with the same samples: unknown, known, replaced, or several at once. */
export function installDevicesControl(app: FastifyInstance, world: World): void {
  app.post('/control/data/devices', { schema: { body: bodies.sampleDevices } }, (request) =>
    nameDevices(world, request.body as DevicesBody),
  );
}
