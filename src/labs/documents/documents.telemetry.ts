import { Injectable } from '@nestjs/common';
import { loggable } from '../../platform/platform/errors.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import type { OrderDocument } from '../../upstream/client/upstream.client.js';

export type DocumentKind = OrderDocument | 'test_instructions';

/** `absent`: upstream has none. `left`: the caller disconnected. */
type DocumentOutcome = 'streamed' | 'absent' | 'broken' | 'left';

/** Logs and counts downloads of documents, never their content. */
@Injectable()
export class DocumentsTelemetry {
  private readonly downloads;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
  ) {
    const help = 'Downloads of order documents by outcome';
    this.downloads = metrics.counter('order_documents_total', help, ['document', 'outcome']);
  }

  /** `orderId` is null for a document of a lab test. */
  noted(document: DocumentKind, orderId: string | null, outcome: DocumentOutcome, error?: unknown): void {
    this.downloads.inc({ document, outcome });
    if (outcome !== 'broken') return;
    const facts = { order_ref: orderId ?? undefined, kind: document, ...loggable(error), outcome };
    this.log.event('order.document_failed', facts, 'warn');
  }
}
