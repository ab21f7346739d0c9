export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly template: string;
  /** Method and template; names the call in errors, metrics and logs. */
  readonly operation: string;
  /** A second call has no further effect. */
  readonly repeatable: boolean;
  /** A 503 can mean that the feature is not enabled, so it does not count as an outage. */
  readonly ignoredByCircuit: boolean;
}

function route(
  method: Route['method'],
  template: string,
  { repeatable = method !== 'POST', ignoredByCircuit = false } = {},
): Route {
  const operation = `${method} ${template}`;
  return Object.freeze({ method, template, operation, repeatable, ignoredByCircuit });
}

const again = { repeatable: true };
/** Not repeatable: the first call changes the slot. A 503 can mean that scheduling is not enabled. */
const once = { repeatable: false, ignoredByCircuit: true };

/**
 * Every call of the client. User paths have no trailing slash, the only form in the contract
 * (docs/upstream/users.md#create). A POST is repeatable only if a second one does no harm: create user (it returns the
 * conflict body, docs/upstream/users.md#conflict), the tokens (the lost one expires), the searches and the conversion
 * (they only read). Cancel, the decisions about unmatched results and the upload of a
 * lab report are not repeatable, nor is create order: the order
 * may exist despite an error, so the caller looks for it first (src/labs/placing/order-calls.ts).
 */
export const routes = {
  listUsers: route('GET', '/v2/user'),
  createUser: route('POST', '/v2/user', again),
  getUser: route('GET', '/v2/user/{user_id}'),
  patchUser: route('PATCH', '/v2/user/{user_id}'),
  deleteUser: route('DELETE', '/v2/user/{user_id}'),
  resolveUser: route('GET', '/v2/user/resolve/{client_user_id}'),
  deregisterProvider: route('DELETE', '/v2/user/{user_id}/{provider}'),
  connections: route('GET', '/v2/user/providers/{user_id}'),
  devices: route('GET', '/v2/user/{user_id}/device'),
  signInToken: route('POST', '/v2/user/{user_id}/sign_in_token', again),
  linkToken: route('POST', '/v2/link/token', again),
  timeseries: route('GET', '/v2/timeseries/{user_id}/{resource}/grouped'),
  workoutStream: route('GET', '/v2/timeseries/workouts/{workout_id}/stream'),
  summary: route('GET', '/v2/summary/{resource}/{user_id}'),
  historicalPulls: route('GET', '/v2/introspect/historical_pull'),
  ingestionState: route('GET', '/v2/introspect/resources'),
  sourcePriorities: route('GET', '/v2/team/source/priorities'),
  availability: route('POST', '/v3/order/psc/appointment/availability', { repeatable: true, ignoredByCircuit: true }),
  appointment: route('GET', '/v3/order/{order_id}/psc/appointment'),
  bookAppointment: route('POST', '/v3/order/{order_id}/psc/appointment/book', { ignoredByCircuit: true }),
  rescheduleAppointment: route('PATCH', '/v3/order/{order_id}/psc/appointment/reschedule', once),
  cancelAppointment: route('PATCH', '/v3/order/{order_id}/psc/appointment/cancel', once),
  areaInfo: route('GET', '/v3/order/area/info'),
  placeInfo: route('GET', '/v3/order/psc/info'),
  orderPlaceInfo: route('GET', '/v3/order/{order_id}/psc/info'),
  cancellationReasons: route('GET', '/v3/order/psc/appointment/cancellation-reasons'),
  compendium: route('POST', '/v3/compendium/search', again),
  conversion: route('POST', '/v3/compendium/convert', again),
  labTests: route('GET', '/v3/lab_test'),
  labTest: route('GET', '/v3/lab_tests/{lab_test_id}'),
  labTestMarkers: route('GET', '/v3/lab_tests/{lab_test_id}/markers'),
  labTestCollectionInstructionsPdf: route('GET', '/v3/lab_test/{lab_test_id}/collection_instruction_pdf'),
  orders: route('GET', '/v3/orders'),
  createOrder: route('POST', '/v3/order'),
  order: route('GET', '/v3/order/{order_id}'),
  orderResult: route('GET', '/v3/order/{order_id}/result'),
  orderResultPdf: route('GET', '/v3/order/{order_id}/result/pdf'),
  cancelOrder: route('POST', '/v3/order/{order_id}/cancel'),
  orderRequisitionPdf: route('GET', '/v3/order/{order_id}/requisition/pdf'),
  orderLabelsPdf: route('GET', '/v3/order/{order_id}/labels/pdf'),
  orderCollectionInstructionsPdf: route('GET', '/v3/order/{order_id}/collection_instruction_pdf'),
  orderAbnPdf: route('GET', '/v3/order/{order_id}/abn_pdf'),
  createParsingJob: route('POST', '/lab_report/v1/parser/job'),
  parsingJob: route('GET', '/lab_report/v1/parser/job/{job_id}'),
  unmatchedResults: route('GET', '/v3/unmatched_result'),
  unmatchedResult: route('GET', '/v3/unmatched_result/{id}'),
  acceptUnmatchedResult: route('POST', '/v3/unmatched_result/{id}/accept'),
  resolveUnmatchedResult: route('POST', '/v3/unmatched_result/{id}/resolve'),
  transaction: route('GET', '/v3/order_transaction/{order_transaction_id}'),
  transactionResult: route('GET', '/v3/order_transaction/{order_transaction_id}/result'),
  transactionResultPdf: route('GET', '/v3/order_transaction/{order_transaction_id}/result/pdf'),
} as const satisfies Record<string, Route>;
