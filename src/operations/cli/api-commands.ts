import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearestName } from '../../platform/config/similar-names.js';
import { type Alias, aliases, byHand, confirmations, namesRequests, nouns } from './aliases.js';
import { type CallOptions, call, type Given } from './api-call.js';
import { collected, day, instant, type Runner, withCommonOptions } from './command.js';
import { type AdminApi, type Input, installedApi, type Operation } from './operations.js';

const DEFAULT_LIMIT = 50;
/** Of longer lists, such as the resources, the service names the nearest. */
const MAX_CHOICES = 12;

/** Adds a command for every admin operation, and those with names of their own. */
export function addApiCommands(cli: Command, runner: Runner, api: AdminApi = installedApi()): void {
  const made = commandsOf(api);
  const hasList = (noun: string | undefined) => made.some(({ alias }) => alias.name === `${noun} list`);
  for (const { alias, chosen } of made) {
    const words = alias.name.split(' ');
    const verb = words.pop() ?? '';
    const [noun] = words;
    const parent = noun === undefined ? cli : groupOf(cli, noun, nouns[noun] ?? api.tags.get(noun) ?? noun);
    // A noun alone is its list, or what there is one of.
    const isDefault = verb === 'list' || (verb === 'get' && !hasList(noun));
    // The help names only the current command of a deprecated operation, and the short one of two for one operation.
    const hidden = chosen.every(({ isDeprecated }) => isDeprecated) || hasShorter(made, alias);
    const command = parent.command(verb, { isDefault: noun !== undefined && isDefault, hidden });
    addCommand(command, runner, alias, chosen, api);
    if (noun !== undefined && isDefault) refuseOthers(command, parent);
  }
}

/** The made name of an operation that has a name of its own in the same noun. */
function hasShorter(made: readonly MadeCommand[], { name, of }: Alias): boolean {
  const [noun] = name.split(' ');
  const isOther = ({ alias }: MadeCommand): boolean => alias.name !== name && alias.name.startsWith(`${noun} `);
  return (
    !aliases.some((alias) => alias.name === name) &&
    made.some((one) => isOther(one) && !one.alias.fixed && one.alias.of.includes(of[0] ?? ''))
  );
}

interface MadeCommand {
  readonly alias: Alias;
  readonly chosen: readonly Operation[];
}

function commandsOf(api: AdminApi): MadeCommand[] {
  const operations = new Map(api.operations.map((operation) => [operation.id, operation]));
  const named = aliases.filter(({ of }) => of.every((id) => operations.has(id)));
  const made = api.operations
    .filter(({ id }) => byHand[id] === undefined)
    .map((operation) => ({ name: `${operation.tag} ${verbOf(operation)}`, of: [operation.id] }))
    .filter(({ name }) => !named.some((alias) => alias.name === name));
  return [...named, ...made].map((alias) => ({
    alias,
    chosen: alias.of.flatMap((id) => operations.get(id) ?? []),
  }));
}

/** Requests in a text for people, as the commands that make them: `POST /admin/v1/orders/{id}/notified`. */
export function asCommand(text: string, api: AdminApi): string {
  return text.replaceAll(/\b([A-Z]+) \/admin\/v1(\/\S+)/g, (request, method: string, path: string) => {
    for (const { alias, chosen } of commandsOf(api)) {
      for (const operation of chosen) {
        const values = operation.method === method ? pathValues(operation.path, path) : undefined;
        if (values) return commandText(alias, chosen, operation, values);
      }
    }
    return request;
  });
}

function pathValues(template: string, path: string): Readonly<Record<string, string>> | undefined {
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(path)?.groups;
}

/** With what the operation requires; capitals stand for what the request does not say. */
function commandText(
  alias: Alias,
  chosen: readonly Operation[],
  { inputs }: Operation,
  values: Readonly<Record<string, string>>,
): string {
  const textOf = ({ name, choices }: Input): string => values[name] ?? choices?.[0] ?? name.toUpperCase();
  const args = argumentsOf(alias, chosen);
  const options = optionsOf(alias, chosen, args)
    .filter(({ input }) => inputs.some(({ name, required }) => required && name === input.name))
    .map(({ option, input }) => `${option.long} ${textOf(input)}`);
  return ['pulsekeep', alias.name, ...args.filter(({ required }) => required).map(textOf), ...options].join(' ');
}

/** The default command of a noun also gets the names of commands that the noun does not have. */
function refuseOthers(command: Command, noun: Command): void {
  if (command.registeredArguments.length > 0) return;
  command.allowExcessArguments().hook('preAction', ({ args: [other] }) => {
    if (other === undefined) return;
    const nearest = nearestName(
      other,
      noun.commands.map((each) => each.name()),
      0.25,
    );
    const meant = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
    command.error(`error: ${noun.name()} has no command '${other}'${meant} See: pulsekeep ${noun.name()} --help`);
  });
}

/** Without a list, a noun alone, or with options of its commands, shows its help. */
export function groupOf(cli: Command, noun: string, about: string): Command {
  const found = cli.commands.find((command) => command.name() === noun);
  return found ?? cli.command(noun).description(about).allowUnknownOption();
}

/** The operation id without the noun, if nothing else follows the verb: `listOrders` of orders is `list`. */
export function verbOf({ id, tag }: Pick<Operation, 'id' | 'tag'>): string {
  const [verb = '', ...rest] = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).split('-');
  const noun = verb === 'list' ? tag : tag.replace(/s$/, '');
  return [tag, noun].includes(rest.join('-')) && (verb === 'list' || rest.join('-') === noun)
    ? verb
    : [verb, ...rest].join('-');
}

function addCommand(
  command: Command,
  runner: Runner,
  alias: Alias,
  operations: readonly Operation[],
  api: AdminApi,
): void {
  const [first] = operations;
  if (!first) return;
  const args = argumentsOf(alias, operations);
  const options = optionsOf(alias, operations, args);
  command.description(alias.about ?? `${first.summary.charAt(0).toLowerCase()}${first.summary.slice(1)}`);
  for (const input of args) command.argument(argumentText(input, alias), input.description);
  withCommonOptions(command);
  for (const { option } of options) command.addOption(option);
  for (const flag of alias.flags ?? []) command.option(`--${flag.name}`, flag.about);
  addOwnOptions(command, alias, operations);
  command.action((...given: unknown[]) => {
    const values = command.opts<CallOptions & Record<string, unknown>>();
    const inputs: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(alias.fixed ?? {})) if (value !== undefined) inputs[name] = value;
    args.forEach((input, at) => put(inputs, input, given[at], alias));
    for (const { option, input } of options) put(inputs, input, values[option.attributeName()], alias);
    const flags = (alias.flags ?? []).filter(({ name }) => values[name] === true);
    for (const flag of flags) if ('input' in flag) inputs[flag.input] = flag.value;
    const chosen = flags.flatMap((flag) => ('operation' in flag ? [flag.operation] : []));
    const operation = chooseOf(command, { operations, options, inputs, named: chosen[0] });
    const confirmation = confirmations[operation.id];
    if (confirmation !== undefined && !values.yes) command.error(`error: ${confirmation}; confirm with --yes`);
    if (alias.needsInput && !hasMore(inputs)) {
      const selecting = options.filter(({ input }) => input.name !== 'dry_run');
      command.error(`error: select with ${selecting.map(({ option }) => option.long).join(', ')}`);
    }
    if (values.csv && operation.hasCsv && command.getOptionValueSource('limit') === 'cli') {
      command.error('error: --csv excludes --limit');
    }
    return runner.service(values, async (session) => {
      const result = await call(session, operation, inputs, values);
      if (!namesRequests.includes(operation.id)) return result;
      return { ...result, lines: result.lines.map((line) => asCommand(line, api)) };
    });
  });
}

/** Without `dry_run`, which selects nothing. */
function hasMore({ dry_run: _, ...inputs }: Given): boolean {
  return Object.keys(inputs).length > 0;
}

/** Inputs in the path of every operation, then those of the alias. */
function argumentsOf({ arguments: more = [] }: Alias, operations: readonly Operation[]): Input[] {
  const inputs = inputsOf(operations);
  const isShared = ({ name }: Input): boolean =>
    operations.every((operation) => operation.inputs.some((one) => one.name === name && one.place === 'path'));
  const named = more.flatMap((name) => inputs.find((input) => input.name === name) ?? []);
  return [...inputs.filter((input) => input.place === 'path' && isShared(input)), ...named];
}

function argumentText({ name, required, kind }: Input, { parse }: Alias): string {
  const text = `${name}${kind === 'texts' || parse?.[name] ? '...' : ''}`;
  return required ? `<${text}>` : `[${text}]`;
}

function inputsOf(operations: readonly Operation[]): Input[] {
  return [...new Map(operations.flatMap(({ inputs }) => inputs).map((input) => [input.name, input])).values()];
}

interface MadeOption {
  readonly option: Option;
  readonly input: Input;
}

function optionsOf(alias: Alias, operations: readonly Operation[], args: readonly Input[]): MadeOption[] {
  const isAsked = ({ name }: Input): boolean =>
    !args.some((input) => input.name === name) && !(name in (alias.fixed ?? {}));
  return inputsOf(operations)
    .filter(isAsked)
    .map((input) => {
      const everywhere = operations.every(({ inputs }) =>
        inputs.some((one) => one.name === input.name && one.required),
      );
      const name = alias.options?.[input.name] ?? optionName(input, operations[0]?.tag ?? '');
      return { option: optionOf(name, input, everywhere), input };
    });
}

/** Options of the program, of every command or of every list. */
const taken = ['version', 'url', 'key-file', 'json', 'verbose', 'yes', 'all', 'csv', 'out'];

/** `account_id` is `--account`; lists are given one by one: `resources` is `--resource`. */
function optionName({ name, kind }: Input, tag: string): string {
  const one = kind === 'texts' ? name.replace(/s$/, '') : name;
  const option = one.replace(/_id$/, '').replaceAll('_', '-').toLowerCase();
  return taken.includes(option) ? `${tag.replace(/s$/, '')}-${option}` : option;
}

function optionOf(name: string, { kind, choices, description }: Input, mandatory: boolean): Option {
  const value = {
    text: '<text>',
    day: '<day>',
    time: '<time>',
    number: '<number>',
    boolean: '[boolean]',
    texts: '<text>',
    json: '<json>',
  };
  const about = kind === 'texts' ? `${description} (repeatable)` : description;
  const option = new Option(`--${name} ${value[kind]}`, about);
  if (kind === 'boolean') option.preset('true').choices(['true', 'false']);
  else if (choices && choices.length <= MAX_CHOICES) option.choices([...choices]);
  if (kind === 'day') option.argParser(day);
  if (kind === 'time') option.argParser(instant);
  if (kind === 'number') option.argParser(numeric);
  if (kind === 'texts') option.argParser(collected);
  if (kind === 'json') option.argParser(jsonText);
  return mandatory ? option.makeOptionMandatory() : option;
}

function numeric(text: string): number {
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

/** Parsed only by `put`: the parser of options replaces null. */
function jsonText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

function addOwnOptions(command: Command, { listsAll }: Alias, operations: readonly Operation[]): void {
  const isOneOf = (...answers: string[]): boolean => operations.some(({ answer }) => answers.includes(answer));
  if (isOneOf('rows', 'pages')) {
    const hasCsv = operations.some((operation) => operation.hasCsv);
    const csv = hasCsv ? 'all matching rows as CSV; without --limit and --json' : 'print CSV with column names';
    command.addOption(new Option('--csv', csv).conflicts('json'));
  }
  if (isOneOf('pages') && !listsAll) {
    command.option('--limit <number>', 'maximum number of rows', wholeNumber, DEFAULT_LIMIT);
    command.option('--all', 'every row');
  }
  if (isOneOf('file')) command.requiredOption('--out <path>', 'new file that only its owner can read');
  if (operations.some(({ job }) => job)) command.option('--no-wait', 'do not wait until the work has ended');
  if (operations.some(({ job }) => job?.rows)) {
    command.option('--out <path>', 'new file for the rows, one JSON object per line');
  }
  const confirmed = operations.some(({ id }) => confirmations[id] !== undefined);
  if (confirmed) command.option('--yes', 'required: this cannot be undone');
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
  return Number(text);
}

function put(inputs: Record<string, unknown>, { name, kind, place }: Input, value: unknown, { parse }: Alias): void {
  if (value === undefined) return;
  const read = parse?.[name];
  if (read) inputs[name] = read(value as string[]);
  else if (kind === 'json') inputs[name] = JSON.parse(value as string) as unknown;
  else inputs[name] = kind === 'boolean' && place === 'body' ? value === 'true' : value;
}

interface Choice {
  readonly operations: readonly Operation[];
  readonly options: readonly MadeOption[];
  readonly inputs: Given;
  /** By a flag. */
  readonly named: string | undefined;
}

/** The operation that was named, else the first of which every required input is given. Takes no other inputs. */
function chooseOf(command: Command, { operations, options, inputs, named }: Choice): Operation {
  const flagOf = (name: string): string => options.find(({ input }) => input.name === name)?.option.long ?? name;
  const missing = ({ inputs: wanted }: Operation): Input[] =>
    wanted.filter(({ name, required }) => required && !(name in inputs));
  const found = operations.find((operation) =>
    named === undefined ? missing(operation).length === 0 : operation.id === named,
  );
  if (!found) {
    return command.error(
      `error: one of ${operations
        .flatMap(missing)
        .map(({ name }) => flagOf(name))
        .join(', ')} is required`,
    );
  }
  const others = Object.keys(inputs).filter((name) => !found.inputs.some((input) => input.name === name));
  if (others.length > 0) command.error(`error: ${others.map(flagOf).join(', ')} excludes the other options`);
  return found;
}
