import { type Form, FormFile } from '../../http/server/form-body.js';
import type { OpenFields } from '../../http/server/open-body.js';
import { AppError, type FieldError, invalidFields } from '../../platform/platform/errors.js';

/** Upstream's limits (docs/upstream/parsing.md#limits). */
const reportLimits = { bytes: 30 * 1_048_576, pages: 30, images: 8 } as const;

export interface ReportFile {
  readonly type: 'application/pdf' | 'image/jpeg' | 'image/png';
  readonly bytes: Buffer;
}

/** A lab report to parse: one PDF, or images as pages in their order. */
export interface LabReport {
  readonly files: readonly ReportFile[];
  readonly needsHumanReview: boolean;
}

/**
 * The report in a form. Throws `invalid_request` for an unknown or missing field, an empty file, a PDF among several
 * files or with too many pages, and too many images; `payload_too_large`; and `unsupported_media_type` for bytes of
 * another type.
 */
export function readReport(body: OpenFields | undefined): LabReport {
  const { file = [], needs_human_review: review = [], ...others } = (body ?? {}) as Form;
  const faults: FieldError[] = Object.keys(others).map(() => ({ field: '*', message: 'this field is unknown' }));
  const [word = 'false'] = review;
  if (review.length > 1 || (word !== 'true' && word !== 'false')) {
    faults.push({ field: 'needs_human_review', message: 'needs_human_review must be true or false' });
  }
  const bytes = file.flatMap((each) => (each instanceof FormFile ? [each.bytes] : []));
  if (bytes.length === 0 || bytes.length < file.length || bytes.some(({ length }) => length === 0)) {
    faults.push({ field: 'file', message: 'file must be a file that is not empty' });
  }
  if (faults.length > 0) throw invalidFields(...faults);
  return { files: checked(bytes), needsHumanReview: word === 'true' };
}

function checked(all: readonly Buffer[]): ReportFile[] {
  if (all.reduce((sum, { length }) => sum + length, 0) > reportLimits.bytes) {
    throw new AppError('payload_too_large', 'The files of a lab report must not be larger than 30 MiB together.');
  }
  const files = all.map((bytes) => ({ type: typeOf(bytes), bytes }));
  const pdf = files.find(({ type }) => type === 'application/pdf');
  if (pdf && files.length > 1) throw wrongFiles('a PDF must be the only file');
  if (files.length > reportLimits.images) throw wrongFiles(`at most ${reportLimits.images} images`);
  if (pdf && hasMorePagesThan(pdf.bytes, reportLimits.pages)) throw wrongFiles(`at most ${reportLimits.pages} pages`);
  return files;
}

function wrongFiles(message: string): AppError {
  return invalidFields({ field: 'file', message });
}

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff]);
/** Readers of PDFs accept a beginning with other bytes. */
const PDF_BEGINNING = 1_024;

/** The type by the bytes; the sender's own word may be wrong, and upstream compares both. */
function typeOf(bytes: Buffer): ReportFile['type'] {
  if (bytes.subarray(0, png.length).equals(png)) return 'image/png';
  if (bytes.subarray(0, jpeg.length).equals(jpeg)) return 'image/jpeg';
  if (bytes.subarray(0, PDF_BEGINNING).includes('%PDF-')) return 'application/pdf';
  throw new AppError('unsupported_media_type', 'A lab report must be a PDF, JPEG or PNG.');
}

/**
 * True if a PDF shows more pages in plain sight. Those of a file with compressed objects are hidden: upstream counts
 * them, and the job fails with too_many_pages. A page that was changed keeps its object number and counts once.
 */
export function hasMorePagesThan(pdf: Buffer, most: number): boolean {
  const pages = new Set<string>();
  for (let at = pdf.indexOf('/Page'); at >= 0; at = pdf.indexOf('/Page', at + 5)) {
    const after = String.fromCharCode(pdf[at + 5] ?? 0x20);
    const before = pdf.toString('latin1', Math.max(0, at - 12), at);
    if (/[A-Za-z]/.test(after) || !/\/Type\s*$/.test(before)) continue;
    const object = pdf.toString('latin1', Math.max(0, at - 4_096), at);
    const number = [...object.matchAll(/(\d+)\s+\d+\s+obj\b/g)].at(-1)?.[1];
    if (number !== undefined) pages.add(number);
    if (pages.size > most) return true;
  }
  return false;
}
