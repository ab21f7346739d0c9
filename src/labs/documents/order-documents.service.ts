import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { type OrderDocumentQuery, UpstreamClient } from '../../upstream/client/upstream.client.js';
import { type Download } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { openPdf } from '../results/pdf-download.js';
import { type OwnedSubject, ResultSubjects } from '../results/result-subjects.js';
import { type DocumentKind, DocumentsTelemetry } from './documents.telemetry.js';

/** Why upstream may have no such document (docs/upstream/orders.md#documents). */
const absences: Readonly<Record<DocumentKind, string>> = {
  requisition: 'Upstream has no requisition of this order: it exists from the status requisition_created.',
  labels: 'Upstream has no labels of this order.',
  collection_instructions: 'Upstream has no collection instructions for this order.',
  abn: 'Upstream has no advance beneficiary notice of this order: only orders with has_abn have one.',
  test_instructions: 'Upstream has no collection instructions for this lab test.',
};

/**
 * Documents that go with an order, streamed from upstream and never stored. The streams have begun, and the caller must
 * read or destroy them. They end with an error if upstream's stream breaks. Abort `gone` when the reader leaves, to end
 * upstream's stream.
 */
@Injectable()
export class OrderDocuments {
  constructor(
    private readonly subjects: ResultSubjects,
    private readonly orders: OrderReadsService,
    private readonly client: UpstreamClient,
    private readonly telemetry: DocumentsTelemetry,
  ) {}

  /**
   * Throws `not_found` for an order of no account, `document_not_ready` if upstream has no such document,
   * `UpstreamError`, or the reason of `gone`.
   */
  async open(wanted: OrderDocumentQuery, gone: AbortSignal): Promise<Readable> {
    return this.stream(wanted, await this.ownerOf(wanted, gone), gone);
  }

  /** Like `open`, for the person whom the order is for. Throws `not_found` for another person's order. */
  async openOwn(wanted: OrderDocumentQuery, externalId: string, gone: AbortSignal): Promise<Readable> {
    await this.orders.assertOwn(wanted.orderId, externalId);
    // Ids that upstream has not confirmed may belong to another person.
    const owned = await this.ownerOf(wanted, gone);
    if (owned.externalId !== externalId) throw new AppError('not_found', 'There is no such order.');
    return this.stream(wanted, owned, gone);
  }

  /** Collection instructions of a lab test. Throws `document_not_ready`, `UpstreamError`, or the reason of `gone`. */
  openTestInstructions(labTestId: string, gone: AbortSignal): Promise<Readable> {
    const ask = (): Promise<Download> =>
      this.client.labTestInstructionsPdf(labTestId, { priority: 'interactive', signal: gone });
    return this.begin('test_instructions', null, ask);
  }

  private ownerOf({ orderId: id }: OrderDocumentQuery, gone: AbortSignal): Promise<OwnedSubject> {
    return this.subjects.get({ scope: 'order', id }, { priority: 'interactive', signal: gone });
  }

  private stream(wanted: OrderDocumentQuery, { account }: OwnedSubject, gone: AbortSignal): Promise<Readable> {
    const options = { priority: 'interactive', signal: gone, account } as const;
    return this.begin(wanted.document, wanted.orderId, () => this.client.orderDocumentPdf(wanted, options));
  }

  private async begin(document: DocumentKind, orderId: string | null, ask: () => Promise<Download>): Promise<Readable> {
    const { stream } = await ask().catch((error: unknown) => {
      if (!(error instanceof UpstreamError && error.isNotFound)) throw error;
      this.telemetry.noted(document, orderId, 'absent');
      throw new AppError('document_not_ready', absences[document], { cause: error });
    });
    return openPdf(stream, {
      whole: async () => this.telemetry.noted(document, orderId, 'streamed'),
      cut: (error) => {
        const outcome = error instanceof UpstreamError ? 'broken' : 'left';
        this.telemetry.noted(document, orderId, outcome, error);
      },
    });
  }
}
