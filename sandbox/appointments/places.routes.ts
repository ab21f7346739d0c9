import type { FastifyInstance } from 'fastify';
import { LAB_TESTS } from '../facts/lab-tests.js';
import { filledText, object, queryInteger, text, uuid } from '../http/strict.js';
import { orderOf } from '../labs/orders.routes.js';
import type { World } from '../world.js';
import { addressOf, SITES, type Site } from './sites.js';

const zip = { type: 'string', pattern: '^\\d{5}$' };
const DEFAULT_RADIUS = '25';
const CAPABILITIES = ['stat', 'appointment_scheduling'];

interface Near {
  zip_code: string;
  radius?: string;
}

function placesOf(lab: { id: number; slug: string }, sites: readonly Site[]): Record<string, unknown> {
  const centers = sites
    .filter((site) => site.lab === lab.slug)
    .map((site, index) => {
      const { first_line, second_line, city, state, zip_code } = addressOf(site);
      const contact = { phone_number: '+12125550100', fax_number: null, hours: { monday: ['08:00', '16:00'] } };
      const metadata = { name: site.name, state, city, zip_code, first_line, second_line, ...contact };
      return { metadata, distance: index + 1, capabilities: CAPABILITIES };
    });
  return { lab_id: lab.id, slug: lab.slug, patient_service_centers: centers };
}

/** Sites and coverage: docs/upstream/appointments.md#places */
export function installPlaces(app: FastifyInstance, world: World): void {
  const labs = [...new Map(LAB_TESTS.map(({ lab }) => [lab.slug, lab])).values()];
  /** Zip codes that begin alike are near each other. */
  const near = (zipCode: string): Site[] => SITES.filter((site) => site.zip.startsWith(zipCode.slice(0, 3)));

  const areaQuery = object({ zip_code: zip, radius: filledText, lab: text }, ['zip_code']);
  app.get('/v3/order/area/info', { schema: { querystring: areaQuery } }, (request) => {
    const { zip_code, radius = DEFAULT_RADIUS, lab } = request.query as Near & { lab?: string };
    const sites = near(zip_code);
    const shown = labs.filter(({ slug }) => lab === undefined || slug === lab);
    const central = shown.map(({ slug }) => {
      const within_radius = sites.filter((site) => site.lab === slug).length;
      return [slug, { patient_service_centers: { within_radius, radius, capabilities: CAPABILITIES } }];
    });
    const providers = sites.length > 0 ? [{ name: 'phlebfinders', tier: ['appointment-request'] }] : [];
    return {
      zip_code,
      phlebotomy: { is_served: providers.length > 0, providers },
      central_labs: Object.fromEntries(central) as unknown,
    };
  });

  const placesQuery = object({ zip_code: zip, lab_id: queryInteger, radius: filledText }, ['zip_code', 'lab_id']);
  app.get('/v3/order/psc/info', { schema: { querystring: placesQuery } }, (request) => {
    const { zip_code, lab_id } = request.query as Near & { lab_id: string };
    const lab = labs.find(({ id }) => id === Number(lab_id));
    if (lab === undefined) throw world.wording.plain(404, 'lab');
    return placesOf(lab, near(zip_code));
  });

  const orderPath = { params: object({ order_id: uuid }, ['order_id']), querystring: object({ radius: filledText }) };
  app.get('/v3/order/:order_id/psc/info', { schema: orderPath }, (request) => {
    const { labTest } = orderOf(world, request);
    if (labTest.method !== 'walk_in_test') throw world.wording.plain(404, 'site');
    return placesOf(labTest.lab, SITES);
  });
}
