-- Sends prepared requests in turn and tells the outcome as JSON. The requests come ready from Python
-- (wrk.py), so that all that is left to do here for each is a look into a table.

local requests, position = {}, 0

function init(args)
	local file = assert(io.open(args[1], "rb"))
	for line in file:lines() do
		requests[#requests + 1] = file:read(tonumber(line))
	end
	file:close()
end

function request()
	position = position % #requests + 1
	return requests[position]
end

function done(summary, latency)
	local errors = summary.errors
	io.write(string.format(
		'{"requests":%d,"seconds":%f,"bytes":%d,"failed":%d,"p50_us":%d,"p99_us":%d}\n',
		summary.requests, summary.duration / 1e6, summary.bytes,
		errors.connect + errors.read + errors.write + errors.status + errors.timeout,
		latency:percentile(50), latency:percentile(99)))
end
