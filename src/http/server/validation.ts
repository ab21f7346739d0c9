import { applyDecorators, type ValidationPipeOptions } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  buildMessage,
  getMetadataStorage,
  Matches,
  ValidateBy,
  type ValidationError,
  type ValidationOptions,
} from 'class-validator';
import { nearestName } from '../../platform/config/similar-names.js';
import { type AppError, type FieldError, invalidFields } from '../../platform/platform/errors.js';
import { slugPattern } from '../../platform/platform/ids.js';
import { parseInstant } from '../../platform/platform/time.js';

const MAX_FIELD_ERRORS = 50;
const MAX_FIELD_LENGTH = 200;
/** Of longer lists, a message names only the value that is nearest to the given one. */
const MAX_LISTED = 12;

/** Refuses undeclared fields, and converts a value only if a DTO declares that. */
export const validationOptions: ValidationPipeOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  transformOptions: { enableImplicitConversion: false },
  // The target knows which fields are declared; its values go nowhere.
  validationError: { target: true, value: false },
  exceptionFactory: (errors: ValidationError[]) => invalidRequest(errors),
};

/** An open word from upstream, such as a provider slug, without characters that a database cannot store. */
const slug = /^[^\p{Cc}\p{Cs}]{1,64}$/u;

/** A line of text, such as an account id, that a database can store. */
const line = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** Bounds of a row number. */
export const rowNumber = { min: 1, max: 999_999_999_999_999 } as const;

/** `invalid_request` with one entry for each broken rule. The rest of a body with thousands of them costs nothing. */
export function invalidRequest(errors: ValidationError[]): AppError {
  const shown: FieldError[] = [];
  for (const fault of fieldErrors(errors, '')) {
    if (shown.push(fault) === MAX_FIELD_ERRORS) break;
  }
  return invalidFields(...shown);
}

/** Message for an undeclared field. Its name may be shown only in the form of `shownName`. */
export const undeclared = 'this field is unknown';

/** Name of a field in a form that a response may show: a client can put anything there, even a personal address. */
export function shownName(name: string): string {
  return /^(?:[A-Za-z_]\w{0,63}|\d{1,9})$/.test(name) ? name : '*';
}

function* fieldErrors(errors: readonly ValidationError[], parent: string): Generator<FieldError> {
  for (const error of errors) {
    const field = pathOf(error.property, parent);
    const constraints = Object.entries(error.constraints ?? {});
    const broken =
      constraints.length > 1 && isMissing(error) ? [['', `${shownName(error.property)} is required`]] : constraints;
    for (const [rule, message = ''] of broken) {
      yield {
        field: field.slice(0, MAX_FIELD_LENGTH),
        message: rule === 'whitelistValidation' ? undeclaredIn(error.target) : shortened(message, error),
      };
    }
    yield* fieldErrors(error.children ?? [], field);
  }
}

/** A missing field breaks every rule at once, which says less than one word. */
function isMissing({ target, property }: ValidationError): boolean {
  return target !== undefined && (target as Readonly<Record<string, unknown>>)[property] === undefined;
}

/** The message of `IsIn` without a long list, if one of its values is near. */
function shortened(message: string, { target, property }: ValidationError): string {
  const [, start, list] = /^(.* must be) one of the following values: (.*)$/.exec(message) ?? [];
  const values = list?.split(', ') ?? [];
  if (values.length <= MAX_LISTED) return message;
  const given = [(target as Readonly<Record<string, unknown>> | undefined)?.[property]].flat();
  const unknown = given.find((value): value is string => typeof value === 'string' && !values.includes(value));
  const nearest = unknown === undefined ? undefined : nearestName(unknown.toLowerCase(), values);
  return nearest === undefined ? message : `${start} one of ${values.length} values; the nearest is ${nearest}`;
}

/** Names the declared fields of the object that has the undeclared one. */
function undeclaredIn(target: object | undefined): string {
  if (!target) return undeclared;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  const known = [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
  return known.length === 0 ? undeclared : `${undeclared}; known are ${known.join(', ')}`;
}

function pathOf(property: string | undefined, parent: string): string {
  const name = shownName(property ?? 'request');
  if (parent === '') return name;
  return /^\d+$/.test(name) ? `${parent}[${name}]` : `${parent}.${name}`;
}

function rule(
  name: string,
  sentence: string,
  holds: (value: unknown) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  const defaultMessage = buildMessage((each) => `${each}$property must be ${sentence}`, options);
  return ValidateBy({ name, validator: { validate: holds, defaultMessage } }, options);
}

/** `Matches` with a message that states the format in words instead of the pattern. */
export function IsText(pattern: RegExp, sentence: string, options?: ValidationOptions): PropertyDecorator {
  const message = buildMessage((each) => `${each}$property must be ${sentence}`, options);
  return Matches(pattern, { ...options, message });
}

/** A name in one of upstream's open lists, such as a provider. */
export function IsSlug(options?: ValidationOptions): PropertyDecorator {
  return IsText(slugPattern, '1 to 64 of the characters a-z, 0-9, _ and -', options);
}

/** For a list of names; `problem` is about a name that is not known, and never contains another one. */
export function AreKnown(names: readonly string[], problem: (name: string) => string): PropertyDecorator {
  const isUnknown = (name: unknown): boolean => typeof name !== 'string' || !names.includes(name);
  const validate = (value: unknown): boolean => Array.isArray(value) && !value.some(isUnknown);
  const defaultMessage = ({ property, value }: { property: string; value: unknown }): string => {
    const unknown = [value].flat().find(isUnknown);
    return `each value in ${property} must be a known name: ${problem(typeof unknown === 'string' ? unknown : '')}`;
  };
  return ValidateBy({
    name: 'areKnown',
    validator: { validate, defaultMessage: (given) => (given ? defaultMessage(given) : '') },
  });
}

/** Like `IsSlug`, but with every character that upstream may use. */
export function IsUpstreamWord(): PropertyDecorator {
  return IsText(slug, '1 to 64 characters without control characters');
}

/** A line of text, such as an account id. */
export function IsLine(): PropertyDecorator {
  return IsText(line, '1 to 255 characters without control characters');
}

/** Marks a text that could not be converted. Every rule rejects it, and `IsOptional` does not skip it. */
const unconverted = Number.NaN;

function converted(convert: (text: string) => unknown): PropertyDecorator {
  return Transform(
    ({ value }: { value: unknown }) => {
      if (value === undefined || value === null) return value;
      return typeof value === 'string' ? convert(value) : unconverted;
    },
    { toClassOnly: true },
  );
}

/** For query parameters: converts digits to a whole number within the bounds, and refuses anything else. */
export function ToInt(bounds: { min: number; max: number }): PropertyDecorator {
  const { min, max } = bounds;
  return applyDecorators(
    converted((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : unconverted)),
    rule('isIntBetween', `a whole number from ${min} to ${max}`, (value) => {
      return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    }),
  );
}

/** For query parameters: accepts exactly `true` and `false`. */
export function ToBool(): PropertyDecorator {
  return applyDecorators(
    converted((text) => (text === 'true' ? true : text === 'false' ? false : unconverted)),
    rule('isTrueOrFalse', 'true or false', (value) => typeof value === 'boolean'),
  );
}

/** For query parameters: splits `a,b` into a list; other rules check its entries. */
export function ToNames(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value), {
    toClassOnly: true,
  });
}

/** Converts an RFC 3339 time or `YYYY-MM-DD` (midnight UTC) to epoch milliseconds, and refuses anything else. */
export function ToInstant(): PropertyDecorator {
  return applyDecorators(
    converted((text) => parseInstant(text) ?? unconverted),
    rule('isInstant', 'an RFC 3339 time or YYYY-MM-DD; in a URL write + as %2B', Number.isInteger),
  );
}

/** An existing date as `YYYY-MM-DD`; stays a text. */
export function IsCalendarDate(options?: ValidationOptions): PropertyDecorator {
  return rule(
    'isCalendarDate',
    'a date as YYYY-MM-DD',
    (value) => typeof value === 'string' && value.length === 10 && parseInstant(value) !== null,
    options,
  );
}

/** A name of the time zone database that this runtime knows; offsets such as `+02:00` are not names. */
export function IsIanaTimeZone(options?: ValidationOptions): PropertyDecorator {
  return rule('isIanaTimeZone', 'an IANA time zone', isIanaTimeZone, options);
}

function isIanaTimeZone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(value)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
