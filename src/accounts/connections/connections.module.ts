import { Module } from '@nestjs/common';
import { ConnectionsRepository } from './connections.repository.js';
import { ConnectionsService } from './connections.service.js';
import { DevicesService } from './devices.service.js';

@Module({
  providers: [ConnectionsRepository, ConnectionsService, DevicesService],
  exports: [ConnectionsService, DevicesService],
})
export class ConnectionsModule {}
