#!lua name=tiffin_live
-- The functions of tiffin-live for Redis 7: publish and revoke in one atomic step each.
-- The server loads this library itself when it may (FUNCTION LOAD); by hand:
--   redis-cli -x FUNCTION LOAD REPLACE < tiffin_live.lua
-- A server replaces an older version by its own and leaves a newer one.
local VERSION = 1
-- The server's settings events.prefix, events.keep and events.keepFor (seconds).
local PREFIX = 'events:'
local KEEP = 100
local SECONDS = 3600

local function whole(text, default)
  if text == nil or text == '' then return default end
  local number = tonumber(text)
  if number == nil or number < 0 or number ~= math.floor(number) then return nil end
  return number
end

-- FCALL tiffin_publish 1 events:TOPIC EVENT DATA [KEEP] [SECONDS]: keeps the event in the topic's stream and sends it to
-- everybody who listens. Answers its id.
local function tiffin_publish(keys, args)
  local key, event, data = keys[1], args[1], args[2]
  if #keys ~= 1 or data == nil then
    return redis.error_reply('ERR usage: FCALL tiffin_publish 1 ' .. PREFIX .. 'TOPIC EVENT DATA [KEEP] [SECONDS]')
  end
  if string.sub(key, 1, #PREFIX) ~= PREFIX or #key == #PREFIX then
    return redis.error_reply('ERR the key must be ' .. PREFIX .. ' and a topic')
  end
  if event == '' or string.find(event, '[%s%c]') then
    return redis.error_reply('ERR the event must be one word')
  end
  local keep, seconds = whole(args[3], KEEP), whole(args[4], SECONDS)
  if keep == nil or seconds == nil then
    return redis.error_reply('ERR KEEP and SECONDS must be whole numbers')
  end
  local id = redis.call('XADD', key, 'MAXLEN', math.max(keep, 1), '*', 'event', event, 'data', data)
  if keep == 0 then
    redis.call('XTRIM', key, 'MAXLEN', 0)
  elseif seconds > 0 then
    local oldest = tonumber(string.match(id, '^%d+')) - seconds * 1000
    redis.call('XTRIM', key, 'MINID', string.format('%.0f', math.max(oldest, 0)))
  end
  -- A stream that is gone is taken for one without events for SECONDS: it must not go before that.
  if seconds > 0 and SECONDS > 0 then
    redis.call('EXPIRE', key, math.max(seconds, SECONDS))
  else
    redis.call('PERSIST', key)
  end
  redis.call('PUBLISH', string.sub(key, #PREFIX + 1), '@' .. id .. ' ' .. event .. '\n' .. data)
  return id
end

-- FCALL tiffin_revoke 0 JSON [CHANNEL] [SECONDS]: remembers the revocation for servers that are deaf just now and tells
-- those that are not. Answers how many heard it.
local function tiffin_revoke(keys, args)
  local message, channel, seconds = args[1], args[2] or 'revocations', whole(args[3], 3660)
  if message == nil or seconds == nil or not pcall(cjson.decode, message) then
    return redis.error_reply('ERR usage: FCALL tiffin_revoke 0 JSON [CHANNEL] [SECONDS]')
  end
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local log = channel .. ':log'
  redis.call('ZADD', log, 'GT', string.format('%.0f', now), message)
  redis.call('ZREMRANGEBYSCORE', log, '-inf', string.format('(%.0f', now - seconds * 1000))
  return redis.call('PUBLISH', channel, message)
end

-- FCALL tiffin_version 0: answers the version of this library.
local function tiffin_version()
  return VERSION
end

redis.register_function('tiffin_publish', tiffin_publish)
redis.register_function('tiffin_revoke', tiffin_revoke)
redis.register_function{function_name='tiffin_version', callback=tiffin_version, flags={'no-writes'}}
