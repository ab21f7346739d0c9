import fc from 'fast-check';
import type { ParsingJob } from '../../../src/labs/documents/parsing-jobs.service.js';
import { reportBundle } from '../../../src/labs/documents/report-bundle.js';
import { deliver, processed } from '../../ingest/inbox/support/deliveries.js';
import { adminKeys, START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { r4Judge } from '../fhir/support/r4-schema.js';

const faultsOf = r4Judge();

function job(content: object): ParsingJob {
  const times = { created_at: null, updated_at: null, first_seen_at: START, observed_at: START };
  const state = { status: 'completed', order_id: null, due_at: null, error_code: null };
  return { job_id: 'job-1', external_id: 'anna', ...times, ...state, content } as unknown as ParsingJob;
}

const read = {
  test_name: 'Ferritin',
  ...{ value: '<42.5', units: 'ng/mL', min_reference_range: '30', max_reference_range: 400 },
  ...{ interpretation: 'abnormal', loinc_matches: [{ loinc_code: '2276-4' }] },
};
const metadata = { patient_name: 'MARKED', date_of_birth: '1980-01-01', date_collected: '2026-11-01' };

describe('a parsed lab report as FHIR', () => {
  it('is a document with Observations that are preliminary until a person has reviewed it', () => {
    for (const [is_reviewed, status] of [
      [false, 'preliminary'],
      [true, 'final'],
    ] as const) {
      const bundle = reportBundle(job({ is_reviewed, data: { metadata, results: [read] } }), START);
      expect(faultsOf(bundle)).toEqual([]);
      const [document, value] = bundle.entry;
      expect(document?.resource).toMatchObject({
        resourceType: 'DocumentReference',
        status: 'current',
        docStatus: status,
      });
      expect(value?.resource).toMatchObject({
        ...{ resourceType: 'Observation', status, code: { text: 'Ferritin' }, effectiveDateTime: '2026-11-01' },
        valueQuantity: { value: 42.5, comparator: '<', unit: 'ng/mL', code: 'ng/mL' },
        referenceRange: [{ low: { value: 30 }, high: { value: 400 } }],
        derivedFrom: [{ reference: document?.fullUrl }],
      });
      // The patient is an identifier, and a suggested code is no code.
      expect(JSON.stringify(bundle)).not.toMatch(/MARKED|1980-01-01|2276-4/);
    }
  });

  it('is a document alone while it is parsed, or if that failed', () => {
    for (const content of [{ status: 'started' }, { status: 'failed', data: null }, { data: { results: 'x' } }]) {
      const bundle = reportBundle(job(content), START);
      expect([faultsOf(bundle), bundle.entry.length]).toEqual([[], 1]);
    }
  });

  it('takes no property of objects for a word of the lab', () => {
    for (const word of ['__proto__', 'constructor', 'toString']) {
      const bundle = reportBundle(
        job({ data: { results: [{ value: '1', units: word, interpretation: word }] } }),
        START,
      );
      expect(faultsOf(JSON.parse(JSON.stringify(bundle)))).toEqual([]);
      expect(bundle.entry[1]?.resource).toMatchObject({
        interpretation: [{ text: word }],
        valueQuantity: { value: 1, unit: word },
      });
    }
  });

  it('is valid whatever was read', () => {
    const word = fc.oneof(fc.string({ maxLength: 20 }), fc.double(), fc.constant(null), fc.boolean());
    const names = [
      'test_name',
      'value',
      'type',
      'units',
      'min_reference_range',
      'max_reference_range',
      'interpretation',
    ];
    const result = fc.record(Object.fromEntries(names.map((name) => [name, word])), { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(result, { maxLength: 4 }), word, (results, date_collected) => {
        const bundle = reportBundle(job({ data: { metadata: { date_collected }, results } }), START);
        expect(faultsOf(JSON.parse(JSON.stringify(bundle)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('is given to who may read its JSON, and to nobody else', async () => {
    const app = await TestApp.create({ webhooks: false });
    const { body } = await app.as<{ user_id: string }>('anna', 'POST', '/me/sign-in-token', {});
    const data = { id: 'job-9', status: 'completed', is_reviewed: false, data: { metadata, results: [read] } };
    await deliver(app, {
      event_type: 'lab_report.parsing_job.updated',
      user_id: body.user_id,
      client_user_id: 'anna',
      data,
    });
    await processed(app);
    const asked = (path: string, token: string) =>
      app.call<{ resourceType?: string; entry?: unknown[] }>('GET', path, {
        ...{ authorization: `Bearer ${token}`, accept: 'application/fhir+json' },
      });
    const path = '/v1/accounts/anna/lab-reports/job-9';
    const answers = [
      await asked(path, adminKeys.reader),
      await asked('/v1/me/lab-reports/job-9', await app.appToken('anna')),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/fhir+json; charset=utf-8']);
      expect([faultsOf(answer.body), answer.body.entry?.length]).toEqual([[], 2]);
    }
    expect((await asked('/v1/me/lab-reports/job-9', await app.appToken('ben'))).status).toBe(404);
    expect((await asked(path, adminKeys.viewer)).status).toBe(403);
    await app.close();
  });
});
