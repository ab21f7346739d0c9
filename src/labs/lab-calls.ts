import { Injectable } from '@nestjs/common';
import { AppError, type FieldError } from '../platform/errors.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { type LabSearch, LabsTelemetry } from './labs.telemetry.js';

export interface LabCall<T> {
  search: LabSearch;
  send: () => Promise<T>;
  isEmpty: (found: T) => boolean;
  /** What it can mean, for a developer, that upstream refuses an input which kept all documented rules. */
  refusalHint: string;
}

/** Calls to upstream on behalf of whoever searches, counted by outcome. */
@Injectable()
export class LabCalls {
  constructor(private readonly telemetry: LabsTelemetry) {}

  /**
   * What upstream answers. Throws `upstream_invalid_request` when it refuses the input itself, else `UpstreamError`.
   */
  async make<T>(call: LabCall<T>): Promise<T> {
    const { search } = call;
    try {
      const found = await call.send();
      this.telemetry.called(search, call.isEmpty(found) ? 'nothing' : 'found');
      return found;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const refusesInput = isAboutInput(error);
      this.telemetry.called(search, refusesInput ? 'input_refused' : error.kind);
      throw refusesInput ? refusal(error, call.refusalHint) : error;
    }
  }
}

/** Only a refusal in upstream's own form: a 400 of a proxy says nothing about the input. */
function isAboutInput({ status, detail }: UpstreamError): boolean {
  if (status !== 400 && status !== 422) return false;
  return detail?.shape === 'text' || detail?.shape === 'typed' || detail?.shape === 'validation';
}

function refusal(error: UpstreamError, hint: string): AppError {
  const fields = (error.detail?.locs ?? []).flatMap(fieldOf);
  return new AppError('upstream_invalid_request', `Upstream does not accept this request: ${hint}`, {
    cause: error,
    fields,
  });
}

/** What both searches take: upstream may name a place by anything that was sent, a value too. */
const knownFields: ReadonlySet<string> = new Set(
  `lab start_date site_codes zip_code radius allow_stale
   mode query cpt_codes loinc_set_hash labs include_related limit`.split(/\s+/),
);

/** `body.labs.0` is `labs[0]` of the request; a place that names no field of it is left out. */
function fieldOf(loc: string): FieldError[] {
  const [, name, ...steps] = loc.split('.');
  if (name === undefined || !knownFields.has(name)) return [];
  const field = steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.*`), name);
  return [{ field, message: 'upstream does not accept this value' }];
}
