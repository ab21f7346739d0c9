/** A command with a name of its own for one operation, or for several of which the given inputs choose one. */
export interface Alias {
  /** E.g. `orders tell`. */
  readonly name: string;
  /** Operation ids. The first of which every required input is given is called. */
  readonly of: readonly string[];
  /** Instead of the summary of the first operation. */
  readonly about?: string;
  /** Inputs that are arguments, besides those in the path of every operation. */
  readonly arguments?: readonly string[];
  /** Options by input, where the name of the input is not wanted. */
  readonly options?: Readonly<Record<string, string>>;
  /** Inputs that are not asked for. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly flags?: readonly Flag[];
  /** Turns the texts of an input into its value. */
  readonly parse?: Readonly<Record<string, (texts: readonly string[]) => unknown>>;
  /** Refuses a call without any input. */
  readonly needsInput?: true;
  /** Lists every row without `--all`. */
  readonly listsAll?: true;
}

/** An option without a value that sets an input, or chooses an operation. */
export type Flag = { readonly name: string; readonly about: string } & (
  | { readonly input: string; readonly value: unknown }
  | { readonly operation: string }
);

const untold = { name: 'untold', input: 'told', value: 'false' };

export const aliases: readonly Alias[] = [
  { name: 'alarms list', of: ['listAlarms'] },
  { name: 'alarms ack', of: ['acknowledgeAlarm'] },
  {
    name: 'explain',
    of: ['explainDay', 'explainDayOfEveryResource'],
    about: 'explain why a day of an account is missing or unusual',
  },
  { name: 'coverage', of: ['getCoverage'], listsAll: true },
  { name: 'timeline', of: ['listTimeline'] },
  { name: 'tasks', of: ['listSyncTasks'] },
  { name: 'sources', of: ['listSources'] },
  { name: 'accounts find', of: ['listAccounts'], arguments: ['q'] },
  { name: 'accounts show', of: ['getAccount'] },
  { name: 'accounts import', of: ['startAccountImport'] },
  {
    name: 'accounts disconnect',
    of: ['disconnectSource', 'disconnectReplacedSource'],
    flags: [
      {
        name: 'replaced',
        about: 'only if the provider is retired and its successor has taken over',
        operation: 'disconnectReplacedSource',
      },
    ],
  },
  {
    name: 'orders list',
    of: ['listOrders'],
    options: { order_transaction_id: 'transaction' },
    flags: [{ ...untold, about: 'with a critical result of which the patient was not informed' }],
  },
  {
    name: 'orders redraws',
    of: ['listOrderTransactions'],
    about: 'order transactions whose patient needs a second draw',
    fixed: { needs: 'redraw' },
    flags: [{ ...untold, about: 'only those whose patient was not informed' }],
  },
  {
    name: 'orders tell',
    of: ['tellRedraw', 'tellCriticalResults'],
    about: 'record that the patient was informed: of a redraw (--transaction) or of critical results (--order)',
    options: { id: 'transaction', told_at: 'at' },
  },
  { name: 'sync recover', of: ['startRecovery'] },
  {
    name: 'inbox replay',
    of: ['replayMessage', 'replayMessages'],
    about: 'replay messages; they are processed like new deliveries',
    fixed: { message_ids: undefined },
    needsInput: true,
  },
  { name: 'inbox replays', of: ['listMessageReplays'] },
  { name: 'inbox cancel-replay', of: ['cancelMessageReplay'] },
  { name: 'priorities list', of: ['getAccountSourcePriorities', 'getSourcePriorities'] },
  {
    name: 'priorities set',
    of: ['changeAccountSourcePriorities', 'changeSourcePriorities'],
    about: 'replace the list of a data type; best source first, e.g. oura or oura/ring',
    arguments: ['data_type', 'sources'],
    parse: { sources: (texts) => texts.map(sourceOf) },
  },
  {
    name: 'priorities remove',
    of: ['changeAccountSourcePriorities', 'changeSourcePriorities'],
    about: 'remove the list of a data type, so that the next list applies',
    arguments: ['data_type'],
    fixed: { sources: null },
  },
  { name: 'deletions list', of: ['listHeldDeletions'] },
  { name: 'deletions release', of: ['releaseHeldDeletion'] },
  { name: 'deletions reject', of: ['rejectHeldDeletion'] },
  { name: 'audit run', of: ['startAudit'] },
  { name: 'audit list', of: ['listAudits'] },
  { name: 'audit cancel', of: ['cancelAudit'] },
  { name: 'audit proofs', of: ['listProofs'] },
  { name: 'audit report', of: ['signAuditReport'] },
  { name: 'access-log checkpoint', of: ['signAccessLogCheckpoint'] },
  { name: 'erase', of: ['eraseAccount'] },
];

function sourceOf(text: string): object {
  const [provider = '', ...type] = text.split('/');
  return { provider, type: type.length === 0 ? null : type.join('/') };
}

/** Nouns that are no tag of the OpenAPI document. */
export const nouns: Readonly<Record<string, string>> = {
  alarms: 'conditions that need an operator',
  inbox: 'messages received from upstream',
  priorities: 'source priorities by data type',
  deletions: 'held deletions: records that upstream no longer returns',
};

/** Operations whose rows name the request to make next; people are shown its command. */
export const namesRequests: readonly string[] = ['listLabWork'];

/** Operations that need `--yes`, with the reason. */
export const confirmations: Readonly<Record<string, string>> = {
  eraseAccount: 'an erasure cannot be undone',
  openErasureFence: 'lifting a fence lets the id be used again',
};

/** Operations for which a command written by hand does more than the call. */
export const byHand: Readonly<Record<string, string>> = {
  examineDeployment: 'doctor',
  exportAccount: 'export',
  getAuditRef: 'audit prove',
  verifyAccessLog: 'access-log verify',
  verifyAccessLogAgainstNoted: 'access-log verify',
};
