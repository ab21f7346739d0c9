import { applyDecorators, Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { ForApp } from '../../http/auth/app-auth.guard.js';
import { CallerLeft } from '../../http/server/caller-left.js';
import { ApiProblem, upstreamFailures } from '../../http/server/openapi.js';
import { RoutesAre } from '../../http/server/route-facts.js';
import { AvailabilityDto, AvailabilityRequest } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';
import { CompendiumDto, CompendiumRequest } from './compendium.dto.js';
import { CompendiumService } from './compendium.service.js';
import { ConversionDto, ConversionRequest } from './conversion.dto.js';
import { ConversionService } from './conversion.service.js';

const LabSearches = (): ClassDecorator =>
  applyDecorators(ApiTags('labs'), ApiProblem('invalid_request', 'upstream_invalid_request', ...upstreamFailures));

const SearchAvailability = (): MethodDecorator =>
  applyDecorators(
    Post('availability'),
    HttpCode(200),
    ApiOperation({
      summary: 'Search available appointments near a zip code or at given sites',
      description:
        "Slots by site and day, in upstream's order; an empty list if there are none. With allow_stale a response is " +
        'cached for up to a minute, but never past its first expires_at; without it every search calls upstream. ' +
        'upstream_invalid_request: a site is unknown or inactive, or start_date is past at the site. ' +
        'upstream_unavailable can also mean that scheduling is not enabled for the team.',
    }),
    ApiOkResponse({ type: AvailabilityDto }),
  );

const SearchCompendium = (): MethodDecorator =>
  applyDecorators(
    Post('compendium/search'),
    HttpCode(200),
    ApiOperation({
      summary: 'Search lab tests by name or code, with their names at each lab',
      description:
        'canonical finds compendium entries by query. crosswalk also finds the matches of each lab, by query or ' +
        'loinc_set_hash. Responses are cached for up to ten minutes.',
    }),
    ApiOkResponse({ type: CompendiumDto }),
  );

const ConvertTests = (): MethodDecorator =>
  applyDecorators(
    Post('compendium/convert'),
    HttpCode(200),
    ApiOperation({
      summary: 'Convert lab tests to their matches at another lab',
      description:
        'Candidates at target_lab for a lab test, or for test ids of one lab (in beta at upstream). Responses are ' +
        'cached for up to ten minutes. upstream_invalid_request: upstream does not know the test or the lab.',
    }),
    ApiOkResponse({ type: ConversionDto }),
  );

/** Catalogue routes for apps. They return no personal data. */
@LabSearches()
@ForApp()
@RoutesAre({ limit: 'labs', recorded: false })
@Controller('v1/labs')
export class AppLabsController {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly compendium: CompendiumService,
    private readonly conversions: ConversionService,
  ) {}

  @SearchAvailability()
  searchAvailability(@Body() request: AvailabilityRequest, @CallerLeft() left: AbortSignal): Promise<AvailabilityDto> {
    return this.availability.search(request, left);
  }

  @SearchCompendium()
  searchCompendium(@Body() request: CompendiumRequest, @CallerLeft() left: AbortSignal): Promise<CompendiumDto> {
    return this.compendium.search(request, left);
  }

  @ConvertTests()
  convertTests(@Body() request: ConversionRequest, @CallerLeft() left: AbortSignal): Promise<ConversionDto> {
    return this.conversions.convert(request, left);
  }
}

/** The same routes for the customer's backend. */
@LabSearches()
@ForOperators()
@RoutesAre({ limit: 'labs' })
@Controller('admin/v1/labs')
export class AdminLabsController {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly compendium: CompendiumService,
    private readonly conversions: ConversionService,
  ) {}

  @SearchAvailability()
  @Role('viewer', 'backend')
  searchAvailabilityAsOperator(
    @Body() request: AvailabilityRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<AvailabilityDto> {
    return this.availability.search(request, left);
  }

  @SearchCompendium()
  @Role('viewer', 'backend')
  searchCompendiumAsOperator(
    @Body() request: CompendiumRequest,
    @CallerLeft() left: AbortSignal,
  ): Promise<CompendiumDto> {
    return this.compendium.search(request, left);
  }

  @ConvertTests()
  @Role('viewer', 'backend')
  convertTestsAsOperator(@Body() request: ConversionRequest, @CallerLeft() left: AbortSignal): Promise<ConversionDto> {
    return this.conversions.convert(request, left);
  }
}
