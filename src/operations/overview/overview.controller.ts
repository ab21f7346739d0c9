import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { OverviewDto } from './overview.dto.js';
import { OverviewService } from './overview.service.js';

@ApiTags('overview')
@ForOperators()
@Controller('admin/v1/overview')
export class OverviewController {
  constructor(private readonly service: OverviewService) {}

  @Get()
  @Role('monitor')
  @ApiOperation({ summary: 'System overview: counts, backlog and alarms' })
  @ApiOkResponse({ type: OverviewDto })
  overview(): Promise<OverviewDto> {
    return this.service.overview();
  }
}
