# The series of a programme in R: one table with a column per field, and the fields that lag behind. R 4.2 or later, no packages.
# TILTH_URL names the server, TILTH_KEY an API key with vi-profile.view, TILTH_SHARE=true reads what suppliers share instead of your own.

server <- paste0(Sys.getenv("TILTH_URL", "http://127.0.0.1:8080"), "/api/v1.2")
query <- paste0("?format=csv&share=", Sys.getenv("TILTH_SHARE", "false")) # season=, farm= and field= narrow it, by id

# Read: one request, whatever the number of fields.
series <- read.csv(url(
  paste0(server, "/profiles/vegetation-index-profile/series/", query),
  headers = c("X-API-Key" = Sys.getenv("TILTH_KEY")), method = "libcurl"
))
series$date <- as.Date(series$date)
orders <- length(unique(series$order_id))
cat(orders, ngettext(orders, "order,", "orders,"), nrow(series), ngettext(nrow(series), "date\n", "dates\n"))

# Align: a column per field, a value per day, between the first and the last date of each.
days <- seq(min(series$date), max(series$date), by = "day")
daily <- sapply(split(series, series$field), function(one) approx(one$date, one$value, xout = days, ties = mean)$y)

# Compare: every field with the median of the programme.
middle <- apply(daily, 1, median, na.rm = TRUE)
season <- data.frame(
  peak = round(apply(daily, 2, max, na.rm = TRUE), 2),
  peak_on = days[apply(daily, 2, which.max)],
  behind = round(colMeans(middle - daily, na.rm = TRUE), 3)
)
print(season[order(-season$behind), ])

# Save.
write.csv(cbind(date = as.character(days), round(daily, 4)), "programme.csv", row.names = FALSE)
