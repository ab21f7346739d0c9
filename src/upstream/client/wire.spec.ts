import { nextCursorOf, type Unreadable, WireShapeError } from '../../platform/platform/json-reader.js';
import {
  readPullPage as pullPage,
  readGroup,
  readSummaries,
  readTimeseriesPage as timeseriesPage,
} from './wire-data.js';
import { readAvailability as availability, readCompendium as compendium, readConversion } from './wire-labs.js';
import { readOrderPage as orderPage, readOrder, readOrderTransaction, readResult } from './wire-orders.js';
import * as users from './wire-users.js';

const user = { user_id: 'u1', client_user_id: 'cust-42' };
const oura = { name: 'Oura', slug: 'oura', logo: 'https://logo.example/oura.png' };

let unreadable: string[] = [];
const skip: Unreadable = (field) => void unreadable.push(field);
const readUser = (value: unknown) => users.readUser(value, skip);
const readUserPage = (value: unknown) => users.readUserPage(value, skip);
const readConnections = (value: unknown) => users.readConnections(value, skip).listed;
const readTimeseriesPage = (value: unknown) => timeseriesPage(value, skip);
const readAvailability = (value: unknown) => availability(value, skip);
const readCompendium = (value: unknown) => compendium(value, skip);
const readPullPage = (value: unknown) => pullPage(value, skip);
const readOrderPage = (value: unknown) => orderPage(value, skip);

beforeEach(() => {
  unreadable = [];
});

describe('users', () => {
  it('skips unreadable users of a page', () => {
    const page = readUserPage({ users: [{ user_id: 'u0' }, user], total: 2 });
    expect(page).toMatchObject({ users: [user], listed: 2 });
    expect(unreadable).toEqual(['client_user_id']);
  });

  it('reads the creation time and team of a user [users#the-user-object]', () => {
    const created_on = '2026-11-01T00:00:00+00:00';
    expect(readUser({ ...user, team_id: 't1', created_on })).toMatchObject({ team_id: 't1', created_on });
    expect(readUser(user)).toMatchObject({ team_id: null, created_on: null });
  });

  it.each([
    ['0001-01-01', null],
    ['2026-11-20', '2026-11-20'],
    [null, null],
    [undefined, null],
  ])('reads the end of ingestion %s as %s [users#ingestion-bounds]', (sent, read) => {
    expect(readUser({ ...user, ingestion_end: sent }).ingestion_end).toBe(read);
  });

  it('reads the time zone and birth date as objects or null [users#fallbacks]', () => {
    const zone = { id: 'Europe/Vienna', source_slug: 'manual', updated_at: 'd' };
    expect(readUser({ ...user, fallback_time_zone: zone }).fallback_time_zone).toEqual(zone);
    expect(readUser({ ...user, fallback_time_zone: null }).fallback_time_zone).toBeNull();
    const birth = { value: '1980-01-02', source_slug: 'manual', updated_at: 'd' };
    expect(readUser({ ...user, fallback_birth_date: birth }).fallback_birth_date).toEqual(birth);
  });

  it('requires both ids, and the total of a page [users#list] [users#the-user-object]', () => {
    expect(() => readUser({ user_id: 'u1' })).toThrow(new WireShapeError('client_user_id'));
    expect(() => readUser({ client_user_id: 'c' })).toThrow(new WireShapeError('user_id'));
    expect(() => readUserPage({ users: [user] })).toThrow(new WireShapeError('total'));
    expect(() => readUserPage({ total: 0 })).toThrow(new WireShapeError('users'));
  });

  it('reads connections of every key and keeps unknown states [connections#list-of-connections] [environments#open-lists]', () => {
    const connection = { ...oura, status: 'hibernating', resource_availability: { sleep: { status: 'available' } } };
    const failed = { ...oura, status: 'error', error_details: { error_type: 'new_type', error_message: 'm' } };
    const read = readConnections({ providers: [connection], labs: [failed] });
    expect(read.map(({ status }) => status)).toEqual(['hibernating', 'error']);
    expect(read[0]).toMatchObject({ resource_availability: { sleep: { status: 'available' } } });
    expect(read[1]?.error_details).toEqual({ error_type: 'new_type', errored_at: null });
    const withText = { ...failed, error_details: { error_type: 'Jane has left' } };
    expect(readConnections({ providers: [withText] })[0]?.error_details?.error_type).toBe('other');
    expect(() => readConnections({})).toThrow(new WireShapeError('providers'));
  });
});

describe('cursors', () => {
  it.each([
    ['the new field', { next_cursor: 'a', next: 'b' }, 'a'],
    ['the old field only', { next: 'b' }, 'b'],
    ['null as the end', { next_cursor: null, next: 'b' }, null],
    ['an empty text as the end', { next_cursor: '' }, null],
    ['the text None as the end', { next_cursor: 'None' }, null],
    ['no field as the end', {}, null],
  ])('reads %s [environments#deprecated-names] [timeseries#paging]', (_, page, cursor) => {
    expect(nextCursorOf(page)).toBe(cursor);
  });

  it('does not treat an unreadable cursor as the end [timeseries#paging]', () => {
    expect(() => nextCursorOf({ next_cursor: 7 })).toThrow(new WireShapeError('next_cursor'));
  });
});

describe('data', () => {
  it('flattens the groups of a page and finds each provider: new name, old name, key [timeseries#groups] [timeseries#source]', () => {
    const page = {
      groups: {
        oura: [
          { source: { provider: 'oura', type: 'ring', device_id: 'd1', extra: 1 }, data: [{ value: 1 }] },
          { source: { slug: 'oura_old' }, data: [] },
        ],
        fitbit: [{ data: ['kept as it is'] }],
      },
      next_cursor: 'c2',
    };
    const { groups, nextCursor } = readTimeseriesPage(page);
    expect(nextCursor).toBe('c2');
    expect(groups.map(({ source }) => [source.provider, source.type])).toEqual([
      ['oura', 'ring'],
      ['oura_old', 'unknown'],
      ['fitbit', 'unknown'],
    ]);
    expect(groups[0]?.source).toMatchObject({ device_id: 'd1', workout_id: null });
    expect(groups[2]?.data).toEqual(['kept as it is']);
  });

  it.each([
    [{}],
    [{ groups: null }],
    [{ groups: [] }],
    [{ groups: { oura: null } }],
    [{ groups: { oura: [{}] } }],
    [null],
  ])('does not read %j as a page without data [timeseries#groups]', (page) => {
    expect(() => readTimeseriesPage(page)).toThrow(WireShapeError);
  });

  it('skips an unreadable group and counts it', () => {
    const good = { source: { type: 'ring' }, data: [{ value: 1 }] };
    const page = readTimeseriesPage({ groups: { oura: [good, { source: {}, data: 7 }], garmin: null } });
    expect(page.groups).toMatchObject([{ source: { provider: 'oura' }, data: [{ value: 1 }] }]);
    expect(unreadable).toEqual(['group.data', 'group']);
    expect(page.skipped).toBe(2);
  });

  it('needs a provider if no key names it [timeseries#source]', () => {
    expect(() => readGroup({ source: { type: 'ring' }, data: [] })).toThrow(new WireShapeError('source.provider'));
  });

  it('reads summaries under their key, and the bare profile [summaries#the-call]', () => {
    expect(readSummaries({ meals: [{ id: 'm' }] }, 'meals')).toEqual([{ id: 'm' }]);
    expect(readSummaries({ id: 'p' }, null)).toEqual([{ id: 'p' }]);
    expect(() => readSummaries({ meal: [] }, 'meals')).toThrow(new WireShapeError('meals'));
    expect(() => readSummaries([], null)).toThrow(WireShapeError);
  });

  it('reads the resources that were not pulled [introspection#records-of-pulls]', () => {
    const oura = { pulled: {}, not_pulled: ['hrv', 'weight', 7] };
    const page = { data: [{ user_id: 'u1', provider: { oura, quest: { pulled: {} } } }], next_cursor: null };
    const [record] = readPullPage(page).data;
    expect(record?.provider.oura?.not_pulled).toEqual(['hrv', 'weight']);
    expect(record?.provider.quest?.not_pulled).toEqual([]);
  });

  it('skips unreadable records, sources and pulls [introspection#records-of-pulls]', () => {
    const good = { pulled: { sleep: { status: 'success' }, hrv: 'x' }, not_pulled: [] };
    const { data } = readPullPage({
      data: ['?', { provider: {} }, { user_id: 'u1', provider: { oura: good, fitbit: 7 } }],
    });
    expect(data).toMatchObject([{ user_id: 'u1', provider: { oura: { pulled: { sleep: { status: 'success' } } } } }]);
    expect(unreadable).toEqual(['data[]', 'data[].user_id', 'pulled[]', 'provider[]']);
  });

  it('reads introspection with every nullable field missing [introspection#pull-statuses] [introspection#records-of-pulls]', () => {
    const page = {
      data: [
        { user_id: 'u1', provider: { oura: { pulled: { sleep: { status: 'paused_by_moon' }, hrv: {} } } } },
        { user_id: 'u2' },
      ],
      next_cursor: 'None',
    };
    const { data, nextCursor } = readPullPage(page);
    expect(nextCursor).toBeNull();
    expect(data[0]?.provider.oura?.not_pulled).toEqual([]);
    expect(data[0]?.provider.oura?.pulled.sleep).toMatchObject({ status: 'paused_by_moon', days_with_data: null });
    expect(data[0]?.provider.oura?.pulled.hrv).toMatchObject({ status: 'unknown', timeline: { started_at: null } });
    expect(data[1]).toEqual({ user_id: 'u2', provider: {} });
  });
});

describe('orders', () => {
  it('reads both shapes of a transaction into one [orders#two-shapes]', () => {
    const common = { id: 'o1', origin: 'redraw', parent_id: 'o0', created_at: 'c', updated_at: 'u' };
    const detail = { ...common, last_status: 'received.walk_in_test.ordered', last_status_created_at: 's' };
    const embedded = { ...common, low_level_status: 'ordered', low_level_status_created_at: 's' };
    const [first, second] = [detail, embedded].map((order) =>
      readOrderTransaction({ id: 't1', status: 'active', orders: [order] }),
    );
    expect(first).toEqual(second);
    expect(first?.orders[0]).toMatchObject({ low_level_status: 'ordered', low_level_status_created_at: 's' });
    expect(readOrderTransaction({ id: 't1', status: 'merged' })).toMatchObject({ status: 'merged', orders: [] });
  });

  it('keeps unknown fields and values of an order [environments#open-lists] [orders#order-ids] [orders#the-order-object]', () => {
    const order = readOrder({
      id: 'o1',
      user_id: 'u1',
      origin: 'clone',
      has_abn: true,
      events: [{ id: 2, status: 'a.b.c', created_at: 'd' }],
      last_event: { id: 2, status: 'a.b.c' },
      order_transaction: { id: 't1', status: 'active' },
    });
    expect(order).toMatchObject({ origin: 'clone', has_abn: true, passthrough: null });
    expect(order.last_event).toEqual({ id: 2, status: 'a.b.c', status_detail: null, created_at: null });
    expect(order.order_transaction?.id).toBe('t1');
  });

  it('skips unreadable events and orders of a transaction, or refuses them if they are not counted', () => {
    const order = {
      id: 'o1',
      user_id: 'u1',
      events: [null, { id: 2, status: 'a.b.c' }],
      order_transaction: { id: 't1', status: 'active', orders: [{ origin: 'initial' }, { id: 'o1' }] },
    };
    const read = readOrder(order, skip);
    expect([read.events.length, read.order_transaction?.orders.length]).toEqual([1, 1]);
    expect(unreadable).toEqual(['event', 'orders[].id']);
    expect(() => readOrder(order)).toThrow(new WireShapeError('event'));
  });

  it('treats an unreadable transaction or newest event as missing, and counts it', () => {
    const order = { id: 'o1', user_id: 'u1', last_event: { id: 1 }, order_transaction: { status: 'active' } };
    expect(readOrder(order, skip)).toMatchObject({ last_event: null, order_transaction: null });
    expect(unreadable).toEqual(['event.status', 'order_transaction.id']);
  });

  it('skips an unreadable order of a list, and counts it', () => {
    const page = readOrderPage({ orders: [{ id: 'o0' }, { id: 'o1', user_id: 'u1' }, null] });
    expect([page.orders.map(({ id }) => id), page.unreadable]).toEqual([['o1'], 2]);
    expect(unreadable).toEqual(['order.user_id', 'order']);
  });

  it('omits counts that a page does not have', () => {
    expect(readOrderPage({ orders: [], total: 0, page: null })).toEqual({ orders: [], total: 0, unreadable: 0 });
  });

  it('treats a result without a status as final, and keeps free-form results', () => {
    expect(readResult({ metadata: { status: 'partial' }, results: [] }).status).toBe('partial');
    const old = readResult({ metadata: { age: 41 }, results: { iron: 'x' }, sample_information: {} });
    expect(old).toMatchObject({ status: 'final', results: { iron: 'x' }, missing_results: [], sample_information: {} });
    expect(() => readResult({ results: [] })).toThrow(new WireShapeError('metadata'));
  });
});

describe('labs', () => {
  it('reads slots that cannot be booked and days without a location', () => {
    const slot = { start: 's', end: 'e', price: 0, is_priority: true, num_appointments_available: 1 };
    const day = { date: '2026-11-21', location: null, slots: [slot, { ...slot, booking_key: 'k', expires_at: 'x' }] };
    const { slots, timezone } = readAvailability({ slots: [day], timezone: null });
    expect(timezone).toBeNull();
    expect(slots[0]?.location).toBeNull();
    expect(slots[0]?.slots.map(({ booking_key }) => booking_key)).toEqual([null, 'k']);
  });

  it('skips unreadable slots, days and candidates', () => {
    const day = { date: '2026-11-21', slots: [{ start: 's' }, { start: 's', end: 'e' }] };
    expect(readAvailability({ slots: [day, {}] }).slots.map(({ slots }) => slots.length)).toEqual([1]);
    const named = { loinc_set_hash: '', display_name: '' };
    const found = readCompendium({ mode: 'crosswalk', canonical_candidates: [named, {}], related: [{}] });
    expect([found.canonical_candidates.length, found.related.length]).toEqual([1, 0]);
    expect(unreadable).toHaveLength(4);
  });

  it('accepts an empty slug of the target lab', () => {
    expect(readConversion({ target_lab_slug: '' }, skip)).toMatchObject({ target_lab_slug: '' });
  });

  it('fills in the optional lists of a search [compendium#answer-of-a-search]', () => {
    const found = { loinc_set_hash: 'h', display_name: 'n', popularity_score: 1, confidence: 0.5 };
    const none = readCompendium({ mode: 'crosswalk', selected_canonical: null });
    expect(none).toEqual({
      mode: 'crosswalk',
      selected_canonical: null,
      canonical_candidates: [],
      per_lab: {},
      related: [],
    });
    const some = readCompendium({ mode: 'new_mode', selected_canonical: found, per_lab: { new_lab: [{ a: 1 }] } });
    expect(some).toMatchObject({ mode: 'new_mode', per_lab: { new_lab: [{ a: 1 }] } });
    expect(some.selected_canonical).toMatchObject({ ...found, loinc_codes: [] });
  });
});
