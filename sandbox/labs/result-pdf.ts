import { Readable } from 'node:stream';
import type { PdfSettings } from './order.js';

const PDF_TEXT = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** Every PDF is this sample unless the control API sets another one. */
const SAMPLE_PDF: Buffer = Buffer.from(PDF_TEXT, 'latin1');

const CHUNK = 65_536;

export interface Download {
  order_id: string;
  /** Bytes written to the connection so far; at most the size of its buffers while the client does not read. */
  sent: number;
  state: 'open' | 'ended' | 'broken';
}

/** Downloads of generated PDFs, so that a test can see their progress. */
export class ResultPdfs {
  readonly downloads: Download[] = [];

  /** The sample as bytes, or a generated PDF as a stream of 64 KiB chunks. */
  of(id: string, { pdfBytes, pdfBreakAfter }: PdfSettings): Buffer | Readable {
    if (pdfBytes === undefined && pdfBreakAfter === undefined) return SAMPLE_PDF;
    const download: Download = { order_id: id, sent: 0, state: 'open' };
    this.downloads.push(download);
    return generated(download, pdfBytes ?? SAMPLE_PDF.length, pdfBreakAfter ?? Number.POSITIVE_INFINITY);
  }
}

function generated(download: Download, size: number, breakAfter: number): Readable {
  return new Readable({
    highWaterMark: CHUNK,
    read() {
      if (download.sent >= breakAfter) return void this.destroy(new Error('line cut'));
      const length = Math.min(CHUNK, size - download.sent, breakAfter - download.sent);
      if (length <= 0) return void this.push(null);
      this.push(download.sent === 0 ? beginning(length) : Buffer.alloc(length, 0x20));
      download.sent += length;
    },
    destroy(error, done) {
      download.state = error === null && download.sent >= size ? 'ended' : 'broken';
      done(error);
    },
  });
}

function beginning(length: number): Buffer {
  const bytes = Buffer.alloc(length, 0x20);
  SAMPLE_PDF.copy(bytes, 0, 0, Math.min(SAMPLE_PDF.length, length));
  return bytes;
}
