import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { ApiPage, ApiProblem } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { mapPage, type Page } from '../../platform/platform/paging.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { OwnOrderInChainDto, OwnTransactionDto, toOwnOrderInChainDto, toOwnTransactionDto } from './orders.dto.js';
import { TransactionPath } from './orders.query.js';

@ApiTags('orders')
@ForApp()
@Controller('v1/me')
export class OwnOrdersController {
  constructor(private readonly reads: OrderReadsService) {}

  @Get('orders')
  @ApiOperation({ summary: 'Orders of the signed-in person with their transactions, newest first' })
  @ApiPage(OwnOrderInChainDto)
  @ApiProblem('invalid_request')
  async listMyOrders(@OwnAccountId() accountId: string, @Query() query: PageQuery): Promise<Page<OwnOrderInChainDto>> {
    return mapPage(await this.reads.listOwn(accountId, query), toOwnOrderInChainDto);
  }

  @Get('order-transactions/:id')
  @ApiOperation({ summary: 'Get an order transaction of the signed-in person, with the order to act on now' })
  @ApiOkResponse({ type: OwnTransactionDto })
  @ApiProblem('invalid_request', 'not_found')
  async getMyOrderTransaction(
    @OwnAccountId() accountId: string,
    @Param() { id }: TransactionPath,
  ): Promise<OwnTransactionDto> {
    return toOwnTransactionDto(await this.reads.getOwnTransaction(id, accountId));
  }
}
