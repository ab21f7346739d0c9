import type { OpenAPIObject } from '@nestjs/swagger';

/** Method names in generated clients. A route without an entry gets a name from its method and path. */
export const operationIds: Readonly<Record<string, string>> = {
  'POST /webhooks': 'receiveWebhook',
  'GET /v1/me': 'getMe',
  'GET /v1/me/today': 'getMyToday',
  'GET /v1/me/latest': 'listMyLatest',
  'GET /v1/me/daily': 'listMyDays',
  'GET /v1/me/hourly': 'listMyHours',
  'GET /v1/me/records/{resource}': 'listMyRecords',
  'GET /v1/me/orders': 'listMyOrders',
  'GET /v1/me/order-transactions/{id}': 'getMyOrderTransaction',
  'GET /v1/me/order-transactions/{id}/result': 'getMyResult',
  'POST /v1/me/sign-in-token': 'createMySignInToken',
  'POST /v1/me/link-token': 'createMyLinkToken',
  'DELETE /v1/me/sources/{provider}': 'disconnectMySource',
  'POST /v1/me/link-outcomes': 'reportLinkOutcome',
  'GET /v1/accounts/{account_id}': 'readAccount',
  'GET /v1/accounts/{account_id}/today': 'readToday',
  'GET /v1/accounts/{account_id}/latest': 'readLatest',
  'GET /v1/accounts/{account_id}/daily': 'readDays',
  'GET /v1/accounts/{account_id}/hourly': 'readHours',
  'GET /v1/accounts/{account_id}/records/{resource}': 'readRecords',
  'POST /v1/labs/availability': 'searchAvailability',
  'POST /v1/labs/compendium/search': 'searchCompendium',
  'POST /v1/labs/compendium/convert': 'convertTests',
  'GET /admin/v1/overview': 'getOverview',
  'GET /admin/v1/overview/activity': 'getActivity',
  'GET /admin/v1/alarms': 'listAlarms',
  'GET /admin/v1/settings': 'getSettings',
  'GET /admin/v1/doctor': 'examineDeployment',
  'GET /admin/v1/sessions': 'listSessions',
  'POST /admin/v1/sessions': 'createSession',
  'GET /admin/v1/sessions/current': 'getCurrentSession',
  'DELETE /admin/v1/sessions/{session_id}': 'endSession',
  'GET /admin/v1/access-log': 'listAccessLog',
  'GET /admin/v1/access-log/verification': 'verifyAccessLog',
  'GET /admin/v1/access-log/checkpoint': 'signAccessLogCheckpoint',
  'POST /admin/v1/access-log/verification': 'verifyAccessLogAgainstNoted',
  'GET /admin/v1/accounts': 'listAccounts',
  'POST /admin/v1/accounts': 'createAccount',
  'GET /admin/v1/accounts/{account_id}': 'getAccount',
  'PATCH /admin/v1/accounts/{account_id}': 'updateAccount',
  'DELETE /admin/v1/accounts/{account_id}': 'eraseAccount',
  'POST /admin/v1/accounts/{account_id}/relink': 'relinkAccount',
  'DELETE /admin/v1/accounts/{account_id}/sources/{provider}': 'disconnectSource',
  'POST /admin/v1/accounts/{account_id}/sources/{provider}/disconnect': 'disconnectReplacedSource',
  'GET /admin/v1/source-priorities': 'getSourcePriorities',
  'PATCH /admin/v1/source-priorities': 'changeSourcePriorities',
  'GET /admin/v1/accounts/{account_id}/source-priorities': 'getAccountSourcePriorities',
  'PATCH /admin/v1/accounts/{account_id}/source-priorities': 'changeAccountSourcePriorities',
  'POST /admin/v1/accounts/{account_id}/block': 'blockAccount',
  'POST /admin/v1/accounts/{account_id}/unblock': 'unblockAccount',
  'GET /admin/v1/accounts/{account_id}/coverage': 'getCoverage',
  'GET /admin/v1/accounts/{account_id}/explain': 'explainDay',
  'GET /admin/v1/accounts/{account_id}/explanations': 'explainDayOfEveryResource',
  'GET /admin/v1/accounts/{account_id}/export': 'exportAccount',
  'GET /admin/v1/accounts/{account_id}/records/{resource}': 'listRecords',
  'GET /admin/v1/accounts/{account_id}/timeline': 'listTimeline',
  'POST /admin/v1/accounts/{account_id}/link-token': 'createLinkToken',
  'POST /admin/v1/accounts/{account_id}/sign-in-token': 'createSignInToken',
  'POST /admin/v1/accounts/{account_id}/sync': 'requestSync',
  'POST /admin/v1/accounts/import': 'startAccountImport',
  'GET /admin/v1/account-imports': 'listAccountImports',
  'GET /admin/v1/account-imports/{import_id}': 'getAccountImport',
  'GET /admin/v1/account-imports/{import_id}/differences': 'listAccountImportDifferences',
  'GET /admin/v1/erasures': 'listErasures',
  'GET /admin/v1/erasures/{erasure_id}': 'getErasure',
  'DELETE /admin/v1/erasures/{erasure_id}/fence': 'openErasureFence',
  'GET /admin/v1/erasure-fences/{account_id}': 'getErasureFence',
  'GET /admin/v1/frequent-sign-ins': 'listFrequentSignIns',
  'GET /admin/v1/historical-pulls': 'listHistoricalPulls',
  'POST /admin/v1/labs/availability': 'searchAvailabilityAsOperator',
  'POST /admin/v1/labs/compendium/search': 'searchCompendiumAsOperator',
  'POST /admin/v1/labs/compendium/convert': 'convertTestsAsOperator',
  'GET /admin/v1/labs/tests': 'listLabTests',
  'GET /admin/v1/labs/tests/{lab_test_id}': 'getLabTest',
  'GET /admin/v1/link-attempts': 'listLinkAttempts',
  'GET /admin/v1/messages': 'listMessages',
  'GET /admin/v1/messages/groups': 'listMessageGroups',
  'GET /admin/v1/messages/{message_id}': 'getMessage',
  'POST /admin/v1/messages/replay': 'replayMessages',
  'GET /admin/v1/messages/replays': 'listMessageReplays',
  'GET /admin/v1/messages/replays/{replay_id}': 'getMessageReplay',
  'POST /admin/v1/messages/replays/{replay_id}/cancel': 'cancelMessageReplay',
  'POST /admin/v1/messages/{message_id}/replay': 'replayMessage',
  'GET /admin/v1/orders': 'listOrders',
  'POST /admin/v1/orders': 'storeOrder',
  'POST /admin/v1/orders/place': 'placeOrder',
  'GET /admin/v1/orders/{order_id}': 'getOrder',
  'POST /admin/v1/orders/{order_id}/told': 'tellCriticalResults',
  'POST /admin/v1/orders/{order_id}/cancel': 'cancelOrder',
  'GET /admin/v1/orders/{order_id}/result': 'getOrderResult',
  'GET /admin/v1/orders/{order_id}/result/pdf': 'downloadOrderResult',
  'POST /admin/v1/orders/{order_id}/appointment': 'bookAppointment',
  'PATCH /admin/v1/orders/{order_id}/appointment': 'rescheduleAppointment',
  'DELETE /admin/v1/orders/{order_id}/appointment': 'cancelAppointment',
  'GET /admin/v1/labs/cancellation-reasons': 'listCancellationReasons',
  'GET /admin/v1/order-transactions': 'listOrderTransactions',
  'GET /admin/v1/order-transactions/{id}': 'getOrderTransaction',
  'POST /admin/v1/order-transactions/{id}/told': 'tellRedraw',
  'POST /admin/v1/order-transactions/{id}/refresh': 'refreshOrderTransaction',
  'GET /admin/v1/order-transactions/{id}/result': 'getOrderTransactionResult',
  'GET /admin/v1/order-transactions/{id}/result/pdf': 'downloadOrderTransactionResult',
  'GET /admin/v1/parsing-jobs': 'listParsingJobs',
  'GET /admin/v1/parsing-jobs/{id}': 'getParsingJob',
  'GET /admin/v1/unmatched-results': 'listUnmatchedResults',
  'GET /admin/v1/unmatched-results/{id}': 'getUnmatchedResult',
  'POST /admin/v1/unmatched-results/{id}/accept': 'acceptUnmatchedResult',
  'POST /admin/v1/unmatched-results/{id}/resolve': 'resolveUnmatchedResult',
  'GET /v1/changes': 'listChanges',
  'POST /v1/snapshots': 'takeSnapshot',
  'PUT /v1/consumers/{name}/position': 'reportConsumerPosition',
  'GET /admin/v1/consumers': 'listConsumers',
  'DELETE /admin/v1/consumers/{name}': 'forgetConsumer',
  'GET /admin/v1/deletions': 'listHeldDeletions',
  'POST /admin/v1/deletions/{id}/release': 'releaseHeldDeletion',
  'POST /admin/v1/deletions/{id}/reject': 'rejectHeldDeletion',
  'GET /admin/v1/subscriptions': 'listSubscriptions',
  'POST /admin/v1/subscriptions': 'createSubscription',
  'GET /admin/v1/subscriptions/{subscription_id}': 'getSubscription',
  'PATCH /admin/v1/subscriptions/{subscription_id}': 'updateSubscription',
  'DELETE /admin/v1/subscriptions/{subscription_id}': 'deleteSubscription',
  'POST /admin/v1/subscriptions/{subscription_id}/rotate-secret': 'rotateSubscriptionSecret',
  'POST /admin/v1/subscriptions/{subscription_id}/disable': 'disableSubscription',
  'POST /admin/v1/subscriptions/{subscription_id}/enable': 'enableSubscription',
  'POST /admin/v1/subscriptions/{subscription_id}/test': 'testSubscription',
  'GET /admin/v1/subscriptions/{subscription_id}/pushes': 'listPushes',
  'POST /admin/v1/subscriptions/{subscription_id}/pushes/replay': 'replayPushes',
  'POST /admin/v1/subscriptions/{subscription_id}/pushes/{change_id}/replay': 'replayPush',
  'GET /admin/v1/sources': 'listSources',
  'GET /admin/v1/sync/progress': 'getSyncProgress',
  'POST /admin/v1/sync/recover': 'startRecovery',
  'GET /admin/v1/sync/recoveries': 'listRecoveries',
  'GET /admin/v1/sync/recoveries/{recovery_id}': 'getRecovery',
  'GET /admin/v1/sync/tasks': 'listSyncTasks',
  'GET /admin/v1/sync/tasks/{id}': 'getSyncTask',
  'GET /admin/v1/sync/workout-series': 'listWorkoutSeries',
  'GET /admin/v1/token-issuance': 'getTokenIssuance',
  'PUT /admin/v1/token-issuance': 'setTokenIssuance',
  'GET /livez': 'getLiveness',
  'GET /readyz': 'getReadiness',
  'GET /metrics': 'getMetrics',
};

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: object[];
  requestBody?: object;
  responses: Record<string, { description: string; headers?: object; content?: object }>;
  'x-roles'?: string[];
}

/** Maps every operation; `name` is like `GET /a/{b}`, `allowed` like `GET, HEAD, POST`. */
export function mapOperations(
  paths: OpenAPIObject['paths'],
  change: (operation: Operation, name: string, allowed: string) => Operation,
): OpenAPIObject['paths'] {
  const changed = Object.entries(paths).map(([path, item]) => {
    const served = methods.filter((method) => item[method]);
    const allowed = served
      .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
      .join(', ');
    const operations = served.map((method): [string, Operation] => [
      method,
      change(item[method] as unknown as Operation, `${method.toUpperCase()} ${path}`, allowed),
    ]);
    return [path, { ...item, ...Object.fromEntries(operations) }];
  });
  return Object.fromEntries(changed) as OpenAPIObject['paths'];
}

/** E.g. `postAdminThingsWord` for `POST /admin/v1/things/{id}/word`. */
export function operationIdOf(name: string): string {
  const words = name
    .toLowerCase()
    .replace('/v1', '')
    .replace(/\{\w+\}/g, '')
    .split(/[^a-z]+/)
    .filter(Boolean);
  const [method = '', ...rest] = words;
  return operationIds[name] ?? method + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
