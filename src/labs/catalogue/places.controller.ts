import { applyDecorators, Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { OwnAccountId } from '../../http/auth/caller.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RouteIs, RoutesAre } from '../../http/server/route-facts.js';
import { OrderPath } from '../order-api/orders.query.js';
import { AreaDto, AreaQuery, PlacesDto, PlacesQuery } from './places.dto.js';
import { PlacesService } from './places.service.js';

const cached = 'With every field that upstream returns; cached for up to ten minutes.';

const LabPlaces = (): ClassDecorator =>
  applyDecorators(ApiTags('labs'), ApiProblem('invalid_request', 'upstream_invalid_request', ...upstreamFailures));

const GetArea = (): MethodDecorator =>
  applyDecorators(
    Get('labs/areas'),
    ApiOperation({
      summary: 'Services around a zip code: draws at home, and patient service centers of each lab',
      description: cached,
    }),
    ApiOkResponse({ type: AreaDto }),
  );

const ListPlaces = (): MethodDecorator =>
  applyDecorators(
    Get('labs/places'),
    ApiOperation({ summary: 'Patient service centers of a lab around a zip code', description: cached }),
    ApiOkResponse({ type: PlacesDto }),
  );

const ListOrderPlaces = (whose: string): MethodDecorator =>
  applyDecorators(
    Get('orders/:order_id/places'),
    ApiOperation({ summary: `Patient service centers for ${whose}`, description: cached }),
    ApiOkResponse({ type: PlacesDto }),
    ApiProblem('not_found'),
  );

@LabPlaces()
@ForApp()
@RoutesAre({ limit: 'labs', recorded: false })
@Controller('v1')
export class AppPlacesController {
  constructor(private readonly service: PlacesService) {}

  @GetArea()
  getArea(@Query() query: AreaQuery, @CallerLeft() left: AbortSignal): Promise<AreaDto> {
    return this.service.area(query, left);
  }

  @ListPlaces()
  listPlaces(@Query() query: PlacesQuery, @CallerLeft() left: AbortSignal): Promise<PlacesDto> {
    return this.service.places(query, left);
  }
}

@LabPlaces()
@ForApp()
@RoutesAre({ limit: 'results' })
@Controller('v1/me')
export class OwnPlacesController {
  constructor(private readonly service: PlacesService) {}

  @ListOrderPlaces('an order of the signed-in person')
  listMyOrderPlaces(
    @OwnAccountId() accountId: string,
    @Param() { order_id: id }: OrderPath,
    @CallerLeft() left: AbortSignal,
  ): Promise<PlacesDto> {
    return this.service.ofOrder(id, left, accountId);
  }
}

/** The same routes for the customer's backend. */
@LabPlaces()
@ForOperators()
@Controller('admin/v1')
export class AdminPlacesController {
  constructor(private readonly service: PlacesService) {}

  @GetArea()
  @Role('viewer', 'backend')
  @RouteIs({ limit: 'labs' })
  getAreaAsOperator(@Query() query: AreaQuery, @CallerLeft() left: AbortSignal): Promise<AreaDto> {
    return this.service.area(query, left);
  }

  @ListPlaces()
  @Role('viewer', 'backend')
  @RouteIs({ limit: 'labs' })
  listPlacesAsOperator(@Query() query: PlacesQuery, @CallerLeft() left: AbortSignal): Promise<PlacesDto> {
    return this.service.places(query, left);
  }

  @ListOrderPlaces('an order')
  @Role('viewer', 'backend')
  @RouteIs({ limit: 'keys_upstream' })
  listOrderPlaces(@Param() { order_id: id }: OrderPath, @CallerLeft() left: AbortSignal): Promise<PlacesDto> {
    return this.service.ofOrder(id, left);
  }
}
