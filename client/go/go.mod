module gsar.dev/go

go 1.19
