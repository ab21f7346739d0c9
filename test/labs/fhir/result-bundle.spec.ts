import fc from 'fast-check';
import type { Bundle, DiagnosticReport, Observation, ServiceRequest } from '../../../src/labs/fhir/fhir-resources.js';
import { ordersBundle, type ResultForFhir, resultBundle } from '../../../src/labs/fhir/result-bundle.js';
import type { OwnedOrder } from '../../../src/labs/orders/orders.reader.js';
import { START } from '../../support/environment.js';
import { r4Judge } from './support/r4-schema.js';

const faultsOf = r4Judge();
const id = '3f0a4f2e-6c1d-4a6e-8f6b-2b1f0a9c7d11';
const parent = '9b1d7c30-1111-4a6e-8f6b-2b1f0a9c7d22';

const order = (given: Partial<OwnedOrder> = {}): OwnedOrder =>
  ({
    ...{
      order_id: id,
      account_id: 1,
      external_id: 'ann',
      order_transaction_id: 'tx',
      origin: 'initial',
      parent_id: null,
    },
    ...{ lab_test_name: 'Lipid Panel', lab_name: 'Quest', sample_id: 'S1', status: 'completed.walk_in_test.completed' },
    ...{ created_at: START, version: START, observed_at: START },
    ...given,
  }) as OwnedOrder;

const given = (more: Partial<ResultForFhir> = {}): ResultForFhir => ({
  ...{ account: 'ann', subject: { scope: 'order', id }, now: START, transactionId: 'tx', orders: [order()] },
  ...{ version: 1, status: 'final', earlier: null, firstSeenAt: START, pdf: null },
  content: { metadata: {}, results: [], missing_results: [] },
  ...more,
});

const ofType = <T>({ entry }: Bundle, type: string): T[] =>
  entry.map(({ resource }) => resource).filter((resource) => resource.resourceType === type) as T[];
const reportOf = (bundle: Bundle): DiagnosticReport =>
  ofType<DiagnosticReport>(bundle, 'DiagnosticReport')[0] as DiagnosticReport;
const observed = (marker: Record<string, unknown>, more: Partial<ResultForFhir> = {}): Observation => {
  const content = { metadata: {}, results: [marker], missing_results: [] };
  const bundle = resultBundle(given({ content, ...more }));
  expect(faultsOf(bundle)).toEqual([]);
  return ofType<Observation>(bundle, 'Observation')[0] as Observation;
};

/** Addresses that two entries have, and references to addresses that none has. */
function linksOf(bundle: Bundle): string[] {
  const addresses = bundle.entry.map(({ fullUrl }) => fullUrl);
  const twice = addresses.filter((address, place) => addresses.indexOf(address) !== place);
  const named = JSON.stringify(bundle.entry).matchAll(/"reference":"([^"]*)"/g);
  return [...twice, ...[...named].map(([, address = '']) => address).filter((address) => !addresses.includes(address))];
}

describe('a result as FHIR R4', () => {
  it('is an order, its sample, a report and an observation for each marker, about an identifier', () => {
    const bundle = resultBundle(
      given({
        content: {
          metadata: {
            ...{
              patient: 'Ann Example',
              dob: '1980-01-01',
              laboratory: 'Quest',
              date_reported: '2026-11-19T10:00:00+00:00',
            },
            ...{ date_collected: '2026-11-18', interpretation: 'abnormal' },
          },
          results: [
            {
              ...{ name: 'LDL', slug: 'ldl', loinc: '13457-7', provider_id: '900', result: '<5.2', type: 'numeric' },
              ...{ unit: 'mg/dL', min_range_value: 0, max_range_value: 99, reference_range: '0-99' },
              ...{ interpretation: 'abnormal', is_above_max_range: true, source_sample_id: 'S1', notes: 'fasting' },
            },
          ],
          missing_results: [{ name: 'HDL', slug: 'hdl', inferred_failure_type: 'quantity_not_sufficient_failure' }],
          sample_information: { S1: { sample_id: 'S1', date_collected: { timestamp: '2026-11-18T08:00:00Z' } } },
        },
        pdf: { checksum: 'ab'.repeat(32), bytes: 1_234, seenAt: START },
      }),
    );
    expect(faultsOf(bundle)).toEqual([]);
    expect(JSON.stringify(bundle)).not.toMatch(/Ann Example|1980-01-01/);
    expect(bundle.entry.map(({ resource: { resourceType } }) => resourceType)).toEqual([
      ...['ServiceRequest', 'Specimen', 'DiagnosticReport', 'Observation', 'Observation'],
    ]);
    expect(bundle.entry[0]).toMatchObject({
      fullUrl: `urn:uuid:${id}`,
      resource: { status: 'completed', requisition: { value: 'tx' }, subject: { identifier: { value: 'ann' } } },
    });
    expect(bundle.entry[1]).toMatchObject({ resource: { collection: { collectedDateTime: '2026-11-18T08:00:00Z' } } });
    expect(reportOf(bundle)).toMatchObject({
      ...{ status: 'final', basedOn: [{ reference: `urn:uuid:${id}` }], effectiveDateTime: '2026-11-18' },
      ...{ issued: '2026-11-19T10:00:00+00:00', conclusion: 'abnormal' },
      presentedForm: [{ contentType: 'application/pdf', size: 1_234, extension: [{ valueString: 'ab'.repeat(32) }] }],
      result: bundle.entry.slice(3).map(({ fullUrl }) => ({ reference: fullUrl })),
    });
    expect(bundle.entry[3]).toMatchObject({
      resource: {
        code: {
          coding: [{ system: 'http://loinc.org', code: '13457-7' }, { code: 'ldl' }, { code: '900' }],
          text: 'LDL',
        },
        valueQuantity: {
          value: 5.2,
          comparator: '<',
          unit: 'mg/dL',
          system: 'http://unitsofmeasure.org',
          code: 'mg/dL',
        },
        interpretation: [{ coding: [{ code: 'H' }], text: 'abnormal' }],
        referenceRange: [{ low: { value: 0 }, high: { value: 99 }, text: '0-99' }],
        note: [{ text: 'fasting' }],
        specimen: { reference: bundle.entry[1]?.fullUrl },
      },
    });
    expect(bundle.entry[4]).toMatchObject({
      resource: {
        status: 'cancelled',
        dataAbsentReason: { coding: [{ code: 'not-performed' }], text: 'quantity_not_sufficient_failure' },
      },
    });
  });

  it.each([
    [{ status: 'partial' }, 'partial', 'preliminary'],
    [{ status: 'final' }, 'final', 'final'],
    [{ status: 'final', earlier: { results: [{ name: 'a', result: '2' }] } }, 'corrected', 'corrected'],
    [{ status: 'withdrawn' }, 'entered-in-error', 'entered-in-error'],
  ] as const)('%j is a report with the status %s', (more, report, observation) => {
    const content = { metadata: {}, results: [{ name: 'a', result: '1' }], missing_results: [] };
    const bundle = resultBundle(given({ ...more, content }));
    expect([reportOf(bundle).status, ofType<Observation>(bundle, 'Observation')[0]?.status]).toEqual([
      report,
      observation,
    ]);
  });

  it.each([
    ['corrected', 'corrected'],
    ['Amended', 'amended'],
  ])('has the word %s of the lab as its status', (said, status) => {
    expect(reportOf(resultBundle(given({ content: { metadata: { status: said } } }))).status).toBe(status);
  });

  it('names a unit by UCUM only where its code is certain, and a LOINC code only if it is one', () => {
    expect(observed({ name: 'a', result: '5', unit: 'mIU/L' }).valueQuantity).toMatchObject({
      unit: 'mIU/L',
      code: 'm[iU]/L',
    });
    expect(observed({ name: 'a', result: '5', unit: 'Thousand/uL' }).valueQuantity).toEqual({
      value: 5,
      unit: 'Thousand/uL',
    });
    expect(observed({ name: 'a', result: '5', loinc: 'unknown' }).code).toEqual({ text: 'a' });
  });

  it('gives a marker one address in all versions, wherever it stands, and each person samples of their own', () => {
    const [ldl, hdl] = [
      { slug: 'ldl', result: '1', source_sample_id: 'S1' },
      { slug: 'hdl', result: '2' },
    ];
    const addresses = (results: object[], missing_results: object[] = [], account = 'ann'): string[] => {
      const bundle = resultBundle(given({ account, content: { metadata: {}, results, missing_results } }));
      expect(linksOf(bundle)).toEqual([]);
      return bundle.entry.map(({ fullUrl, resource: { resourceType } }) => `${resourceType} ${fullUrl}`);
    };
    const found = addresses([ldl, hdl]);
    expect(addresses([hdl, ldl]).toSorted()).toEqual(found.toSorted());
    expect(addresses([ldl], [{ slug: 'hdl' }])).toEqual(found);
    expect(new Set(addresses([ldl, ldl, hdl])).size).toBe(found.length + 1);
    expect(addresses([], [], 'bob').filter((one) => found.includes(one) && one.startsWith('Specimen'))).toEqual([]);
    const [observation] = ofType<Observation>(resultBundle(given({ content: { results: [ldl] } })), 'Observation');
    expect(observation?.identifier).toEqual([{ system: 'urn:ietf:rfc:3986', value: found[3]?.split(' ')[1] }]);
  });

  it('says corrected of the values that differ from the last final version alone', () => {
    const earlier = {
      results: [
        { name: 'a', result: '1' },
        { name: 'b', result: '2' },
      ],
    };
    const results = [
      { name: 'new', result: '3' },
      { name: 'b', result: '2' },
      { name: 'a', result: '9' },
    ];
    const bundle = resultBundle(given({ earlier, content: { metadata: {}, results, missing_results: [] } }));
    expect(reportOf(bundle).status).toBe('corrected');
    expect(ofType<Observation>(bundle, 'Observation').map(({ status }) => status)).toEqual([
      ...['final', 'final', 'corrected'],
    ]);
  });

  it('bases a value on the order whose sample was measured, and on all if the lab does not say which', () => {
    const redraw = order({ order_id: parent, parent_id: id, sample_id: 'S2' });
    const based = (marker: object): unknown =>
      observed({ name: 'a', result: '1', ...marker }, { orders: [order(), redraw] }).basedOn;
    expect(based({ source_sample_id: 'S2' })).toEqual([{ reference: `urn:uuid:${parent}` }]);
    expect(based({})).toEqual([{ reference: `urn:uuid:${id}` }, { reference: `urn:uuid:${parent}` }]);
  });

  it.each([
    [{ interpretation: 'critical', is_above_max_range: true }, 'HH'],
    [{ interpretation: 'critical', is_below_min_range: true }, 'LL'],
    [{ interpretation: 'critical' }, 'AA'],
    [{ interpretation: 'Critical_High', is_above_max_range: true }, 'HH'],
    [{ interpretation: 'abnormal', source_interpretation: 'panic' }, 'AA'],
    [{ interpretation: 'normal', is_below_min_range: true }, 'L'],
    [{ interpretation: 'abnormal', is_above_max_range: true, is_below_min_range: true }, 'A'],
  ])('%j is the one code %s', (marker, code) => {
    expect(observed({ name: 'a', result: '1', ...marker }).interpretation).toMatchObject([{ coding: [{ code }] }]);
  });

  it('has a range with one end, and a comparator beside the number', () => {
    const ranged = observed({ name: 'a', result: '>= 60', unit: 'mL/min', min_range_value: 60, type: 'range' });
    expect(ranged).toMatchObject({ valueQuantity: { value: 60, comparator: '>=', code: 'mL/min' } });
    expect(ranged.referenceRange).toEqual([
      { low: { value: 60, unit: 'mL/min', system: 'http://unitsofmeasure.org', code: 'mL/min' } },
    ]);
  });

  it('keeps as text what is no number, and says that there is no value if there is none', () => {
    expect(observed({ name: 'a', result: 'NEGATIVE', type: 'coded_value' })).toMatchObject({ valueString: 'NEGATIVE' });
    expect(observed({ name: 'a', result: '7', type: 'coded_value' })).toMatchObject({ valueString: '7' });
    expect(observed({ name: 'a', result: '' })).toMatchObject({ dataAbsentReason: { coding: [{ code: 'unknown' }] } });
  });

  it('leaves out a local time without an offset, because it is no instant', () => {
    expect(observed({ name: 'a', result: '1', timestamp: '2026-11-18T08:00:00' })).not.toHaveProperty(
      'effectiveDateTime',
    );
  });

  it('says which order a redraw replaces, here or elsewhere', () => {
    const redraw = order({ order_id: parent, parent_id: id, status: 'received.walk_in_test.ordered' });
    const replaces = (orders: OwnedOrder[]): unknown =>
      ofType<ServiceRequest>(ordersBundle({ ...given(), orders }), 'ServiceRequest').map((request) => request.replaces);
    expect(replaces([order({ status: 'collecting_sample.walk_in_test.redraw_available' }), redraw])).toEqual([
      undefined,
      [{ reference: `urn:uuid:${id}` }],
    ]);
    expect(replaces([redraw])).toEqual([
      [{ type: 'ServiceRequest', identifier: { system: 'urn:pulsekeep:order', value: id } }],
    ]);
  });

  it('is valid for 300 generated results, whatever the lab writes', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '',
        ' ',
        '\u00a0',
        '\0',
        '5.2',
        '<5',
        '> 60',
        'NEG',
        'mg/dL',
        '2026-11-18',
        '2026-11-18T08:00:00Z',
        '13457-7',
        'a\u2028b',
      ),
    );
    const any = fc.oneof(word, fc.double(), fc.constant(null), fc.boolean(), fc.constant([]), fc.constant({}));
    const marker = fc.record(
      Object.fromEntries(
        [
          ...['name', 'slug', 'result', 'type', 'unit', 'timestamp', 'notes', 'reference_range', 'min_range_value'],
          ...['max_range_value', 'is_above_max_range', 'is_below_min_range', 'interpretation', 'loinc', 'provider_id'],
          ...['source_sample_id', 'inferred_failure_type', 'note'],
        ].map((field) => [field, any]),
      ),
      { requiredKeys: [] },
    );
    const markers = fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.oneof(marker, any), { maxLength: 6 }) },
      { weight: 1, arbitrary: any },
    );
    const metadata = fc.record(
      Object.fromEntries(
        ['status', 'laboratory', 'date_collected', 'date_reported', 'date_received', 'interpretation', 'patient'].map(
          (field) => [field, any],
        ),
      ),
      { requiredKeys: [] },
    );
    const sample = fc.record({ date_collected: any, date_received: any }, { requiredKeys: [] });
    const orders = fc.array(
      fc.record({
        order_id: fc.uuid(),
        parent_id: fc.option(fc.uuid()),
        sample_id: fc.option(word),
        lab_name: fc.option(word),
        lab_test_name: fc.option(word),
        status: fc.option(word),
      }),
      { maxLength: 3 },
    );
    const results = fc.record({
      content: fc.record({
        metadata: fc.oneof(metadata, any),
        results: markers,
        missing_results: markers,
        sample_information: fc.oneof(fc.dictionary(word, sample, { maxKeys: 3 }), any),
      }),
      orders,
      status: fc.constantFrom('partial' as const, 'final' as const, 'withdrawn' as const),
      earlier: fc.option(fc.record({ results: markers })),
    });
    const generated = fc.sample(results, { numRuns: 300, seed: 51 });
    const faults = generated.flatMap(({ orders: rows, ...more }) => {
      const bundle = resultBundle(given({ ...more, orders: rows.map((row) => order(row as Partial<OwnedOrder>)) }));
      return [...faultsOf(JSON.parse(JSON.stringify(bundle))), ...linksOf(bundle)];
    });
    expect(generated).toHaveLength(300);
    expect(faults).toEqual([]);
  });
});
