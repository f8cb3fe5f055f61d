# Signs in, creates a farm with fields from a file, and reads the season's NDVI of each. R 4.2 or later, with httr2 and jsonlite.

library(httr2)

url <- paste0(Sys.getenv("TILTH_URL", "http://127.0.0.1:8080"), "/api/v1.2")
email <- Sys.getenv("TILTH_EMAIL", "owner@demo.example")
password <- Sys.getenv("TILTH_PASSWORD", "tilth-demo-2025")
token <- NULL

# Returns the data of an answer. Stops with the code and the message of an error.
call <- function(method, path, body = NULL) {
  req <- request(paste0(url, path)) |> req_method(method) |>
    req_error(body = function(resp) {
      error <- resp_body_json(resp)
      paste0(error$code, ": ", error$message)
    })
  if (!is.null(token)) req <- req_auth_bearer_token(req, token)
  if (!is.null(body)) req <- req_body_json(req, body, auto_unbox = TRUE, digits = NA)
  resp_body_json(req_perform(req))$data
}

# A GeoJSON polygon, longitude first.
square <- function(west, south, side = 0.0035) {
  east <- west + side
  north <- south + side * 0.8
  ring <- list(c(west, south), c(east, south), c(east, north), c(west, north), c(west, south))
  list(type = "Polygon", coordinates = list(ring))
}

token <- call("POST", "/auth/token/", list(email = email, password = password))$access
farm <- call("POST", "/farm/", list(name = "Farm of an R walk", country = "spain"))

# Fields from a file: one request for up to 1,000 features. Sent again, it changes nothing.
features <- lapply(0:2, function(i) list(
  type = "Feature", geometry = square(-4.2243 + 0.004 * i, 41.7794),
  properties = list(name = paste("Field", i + 1), ref = paste0("r-", farm$id, "-", i))
))
load <- paste0("/field/import/?farm_id=", farm$id, "&external_id_property=ref")
made <- call("POST", load, list(type = "FeatureCollection", features = features))
again <- call("POST", load, list(type = "FeatureCollection", features = features))
stopifnot(made$created == 3, again$skipped == 3)

season <- call("POST", "/season/", list(name = "Summer 2025", start_date = "2025-03-01", end_date = "2025-10-31"))
crop <- call("GET", "/crop/?search=winter%20wheat")$results[[1]]
fields <- call("GET", paste0("/field/?page=all&farm=", farm$id))$results
invisible(call("POST", "/cultivation/", lapply(fields, function(f) {
  list(field_id = f$id, season_id = season$id, crop_id = crop$id)
})))

# Order the series of all fields in one request, and read each when it is ready.
orders <- "/profiles/vegetation-index-profile/orders/"
placed <- call("POST", paste0(orders, "batch/"), lapply(fields, function(f) {
  list(field_uuid = f$uuid, season_id = season$id)
}))
for (item in placed$items) {
  for (try in 1:120) {
    order <- call("GET", paste0(orders, item$order_id, "/"))
    if (!order$status %in% c("processing", "pending")) break
    Sys.sleep(0.5)
  }
  stopifnot(order$status == "active")
  values <- vapply(order$profile, function(point) point$value, numeric(1))
  cat(sprintf("field %d: %d dates, NDVI up to %.2f\n", order$field, length(values), max(values)))
}
