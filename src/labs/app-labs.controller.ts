import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForApp } from '../auth/app-auth.guard.js';
import { ApiProblem } from '../http/openapi.js';
import { AvailabilityDto, AvailabilityRequest } from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';
import { CompendiumDto, CompendiumRequest } from './compendium.dto.js';
import { CompendiumService } from './compendium.service.js';
import { availabilityNotes, compendiumNotes } from './labs.notes.js';

/** What an app shows before an order: nothing here is about one person. */
@ApiTags('labs')
@ForApp()
@ApiProblem('invalid_request', 'upstream_invalid_request')
@ApiProblem('upstream_rejected', 'upstream_contract', 'upstream_throttled', 'upstream_unavailable')
@Controller('v1/labs')
export class AppLabsController {
  constructor(
    private readonly appointments: AvailabilityService,
    private readonly compendium: CompendiumService,
  ) {}

  @Post('availability')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Free appointments near a zip code or at given sites', description: availabilityNotes })
  @ApiOkResponse({ type: AvailabilityDto })
  availability(@Body() request: AvailabilityRequest): Promise<AvailabilityDto> {
    return this.appointments.search(request);
  }

  @Post('compendium/search')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Lab tests by name or code, and what each lab calls them', description: compendiumNotes })
  @ApiOkResponse({ type: CompendiumDto })
  search(@Body() request: CompendiumRequest): Promise<CompendiumDto> {
    return this.compendium.search(request);
  }
}
