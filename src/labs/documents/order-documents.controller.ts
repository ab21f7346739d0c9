import { applyDecorators, Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { ApiPdf, answerPdf } from '../../http/server/pdf-answer.js';
import { orderDocuments, RouteIs, RoutesAre } from '../../http/server/route-facts.js';
import type { OrderDocumentQuery } from '../../upstream/client/upstream.client.js';
import { LabTestPath } from '../catalogue/lab-tests.dto.js';
import { OrderPath } from '../order-api/orders.query.js';
import { LabelsQuery } from './order-documents.dto.js';
import { OrderDocuments } from './order-documents.service.js';

const DocumentProblems = (): ClassDecorator =>
  ApiProblem('invalid_request', 'not_found', 'document_not_ready', 'conflict', ...upstreamFailures);

const document = (path: string, summary: string, description: string): MethodDecorator =>
  applyDecorators(
    Get(`orders/:order_id/${path}.pdf`),
    RouteIs({ shows: orderDocuments }),
    ApiOperation({ summary, description: `${description} Streamed from upstream, never stored.` }),
    ApiPdf(),
  );

const Requisition = (whose: string): MethodDecorator =>
  document(
    'requisition',
    `Get the requisition of ${whose} as a PDF`,
    'A walk-in patient shows it at the lab. document_not_ready before the status requisition_created.',
  );
const Labels = (whose: string): MethodDecorator =>
  document('labels', `Get the sample labels of ${whose} as a PDF`, 'For the samples.');
const CollectionInstructions = (whose: string): MethodDecorator =>
  document(
    'collection-instructions',
    `Get the collection instructions of ${whose} as a PDF`,
    'How the sample is collected.',
  );
const Abn = (whose: string): MethodDecorator =>
  document(
    'abn',
    `Get the advance beneficiary notice of ${whose} as a PDF`,
    'document_not_ready if the order has none.',
  );

const anOrder = 'an order';
const anOwnOrder = 'an order of the signed-in person';

@ApiTags('orders')
@ForOperators()
@DocumentProblems()
@RoutesAre({ limit: 'keys_upstream' })
@Controller('admin/v1')
export class OrderDocumentsController {
  constructor(private readonly documents: OrderDocuments) {}

  @Requisition(anOrder)
  @Role('reader', 'backend')
  downloadRequisition(@Param() { order_id: orderId }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(reply, { document: 'requisition', orderId });
  }

  @Labels(anOrder)
  @Role('reader', 'backend')
  downloadLabels(
    @Param() { order_id: orderId }: OrderPath,
    @Query() query: LabelsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer(reply, { document: 'labels', orderId, ...query });
  }

  @CollectionInstructions(anOrder)
  @Role('reader', 'backend')
  downloadCollectionInstructions(@Param() { order_id: orderId }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(reply, { document: 'collection_instructions', orderId });
  }

  @Abn(anOrder)
  @Role('reader', 'backend')
  downloadAbn(@Param() { order_id: orderId }: OrderPath, @Res() reply: FastifyReply): Promise<void> {
    return this.answer(reply, { document: 'abn', orderId });
  }

  @Get('labs/tests/:lab_test_id/collection-instructions.pdf')
  @Role('viewer', 'backend')
  @RouteIs({ limit: 'labs' })
  @ApiOperation({
    summary: 'Get the collection instructions of a lab test as a PDF',
    description: 'Streamed from upstream, never stored.',
  })
  @ApiPdf()
  async downloadLabTestInstructions(
    @Param() { lab_test_id: id }: LabTestPath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await answerPdf(reply, `collection-instructions-${id}`, (gone) => this.documents.openTestInstructions(id, gone));
  }

  private answer(reply: FastifyReply, wanted: OrderDocumentQuery): Promise<void> {
    return answerPdf(reply, nameOf(wanted), (gone) => this.documents.open(wanted, gone));
  }
}

/** The same documents for the person whom the order is for. */
@ApiTags('orders')
@ForApp()
@DocumentProblems()
@RoutesAre({ limit: 'results' })
@Controller('v1/me')
export class OwnOrderDocumentsController {
  constructor(private readonly documents: OrderDocuments) {}

  @Requisition(anOwnOrder)
  downloadMyRequisition(
    @OwnAccountId() accountId: string,
    @Param() { order_id: orderId }: OrderPath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer(reply, accountId, { document: 'requisition', orderId });
  }

  @Labels(anOwnOrder)
  downloadMyLabels(
    @OwnAccountId() accountId: string,
    @Param() { order_id: orderId }: OrderPath,
    @Query() query: LabelsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer(reply, accountId, { document: 'labels', orderId, ...query });
  }

  @CollectionInstructions(anOwnOrder)
  downloadMyCollectionInstructions(
    @OwnAccountId() accountId: string,
    @Param() { order_id: orderId }: OrderPath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer(reply, accountId, { document: 'collection_instructions', orderId });
  }

  @Abn(anOwnOrder)
  downloadMyAbn(
    @OwnAccountId() accountId: string,
    @Param() { order_id: orderId }: OrderPath,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answer(reply, accountId, { document: 'abn', orderId });
  }

  private answer(reply: FastifyReply, accountId: string, wanted: OrderDocumentQuery): Promise<void> {
    return answerPdf(reply, nameOf(wanted), (gone) => this.documents.openOwn(wanted, accountId, gone));
  }
}

function nameOf({ document: name, orderId }: OrderDocumentQuery): string {
  return `${name.replace('_', '-')}-${orderId}`;
}
